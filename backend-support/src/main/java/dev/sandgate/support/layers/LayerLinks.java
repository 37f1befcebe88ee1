// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.layers;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spawner opens images below two directories only: each image in use gets a hard link in {@code layers}, one that is here in
 * part two in {@code parts}, named by its digest.
 *
 * @param state the spawner's state directory
 */
public record LayerLinks(Path state) {

  private static final Logger LOG = LoggerFactory.getLogger(LayerLinks.class);
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  /** The name of an image as the spawner wants it. */
  public static String name(Layer layer) {
    return layer.map().isPresent() ? partial(layer.digest()) : whole(layer.digest());
  }

  private static String whole(String digest) {
    return "layers/" + plain(digest) + ".erofs";
  }

  private static String partial(String digest) {
    return "parts/" + plain(digest);
  }

  private static String plain(String digest) {
    if (!DIGEST.matcher(digest).matches()) {
      throw SandgateException.invalid("layers", "not a digest: " + digest);
    }
    return digest.replace(':', '-');
  }

  /** The names of an image, whole and in part, that have links. */
  List<String> names(String digest) {
    return Stream.of(whole(digest), partial(digest)).filter(this::isLinked).toList();
  }

  private boolean isLinked(String name) {
    return Files.exists(state.resolve(name)) || Files.exists(state.resolve(name + ".image"));
  }

  /** Makes the links of an image, in place of those of another file of the same name. */
  void make(Layer layer) {
    Path image = image(layer);
    try {
      Files.createDirectories(state.resolve("layers"));
      Files.createDirectories(state.resolve("parts"));
      link(layer.image(), image);
      Optional<Path> map = layer.map();
      if (map.isPresent()) {
        link(map.get(), map(layer));
      }
    } catch (IOException e) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "layers",
          "cannot link the image "
              + layer.image()
              + " to "
              + image
              + "; it must exist, on the same file system as the backend's state: "
              + e.getMessage(),
          e);
    }
  }

  /** What an image that is here as a whole is linked to stays: it is the same, or its owner has dropped it. */
  private static void link(Path file, Path link) throws IOException {
    try {
      Files.createLink(link, file);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isSameFile(file, link)) {
        Files.delete(link);
        Files.createLink(link, file);
      }
    }
  }

  private Path image(Layer layer) {
    return state.resolve(name(layer) + (layer.map().isPresent() ? ".image" : ""));
  }

  private Path map(Layer layer) {
    return state.resolve(name(layer) + ".map");
  }

  /** Removes the links of an image, by its name. */
  void remove(String name) throws IOException {
    for (String suffix : List.of("", ".image", ".map")) {
      Files.deleteIfExists(state.resolve(name + suffix));
    }
  }

  /** The names of all images that have links; blocks. */
  Set<String> names() {
    Set<String> names = new HashSet<>();
    for (String directory : List.of("layers", "parts")) {
      collect(directory, names);
    }
    return names;
  }

  private void collect(String directory, Set<String> names) {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(state.resolve(directory))) {
      for (Path link : links) {
        String file = String.valueOf(link.getFileName());
        names.add(directory + "/" + file.replaceFirst("\\.(image|map)$", ""));
      }
    } catch (NoSuchFileException e) {
      LOG.debug("{} has no {} yet", state, directory);
    } catch (IOException e) {
      LOG.warn("links of dropped images in {} are kept", directory, e);
    }
  }
}
