// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spawner opens images below one directory only: each image in use gets a hard link there, named by its digest. Links
 * whose image the owner has dropped since are swept away.
 */
final class LayerLinks {

  private static final Logger LOG = LoggerFactory.getLogger(LayerLinks.class);
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final String SUFFIX = ".erofs";

  private final Path directory;
  private final Set<String> linked = ConcurrentHashMap.newKeySet();

  LayerLinks(Path directory) {
    this.directory = directory;
  }

  /** The names of images as the spawner wants them, in the given order. */
  List<String> link(List<Layer> layers) {
    if (layers.isEmpty()) {
      throw SandgateException.invalid("layers", "a container needs at least one layer");
    }
    return layers.stream().map(this::link).toList();
  }

  /** The same for images that are linked already, or were. */
  List<String> names(List<Layer> layers) {
    return layers.stream().map(layer -> directory.getFileName() + "/" + name(layer)).toList();
  }

  private static String name(Layer layer) {
    if (!DIGEST.matcher(layer.digest()).matches()) {
      throw SandgateException.invalid("layers", "not a digest: " + layer.digest());
    }
    return layer.digest().replace(':', '-') + SUFFIX;
  }

  private String link(Layer layer) {
    String name = name(layer);
    if (!linked.contains(name)) {
      make(layer, directory.resolve(name));
      linked.add(name);
    }
    return directory.getFileName() + "/" + name;
  }

  private void make(Layer layer, Path link) {
    try {
      Files.createDirectories(directory);
      Files.createLink(link, layer.image());
    } catch (FileAlreadyExistsException e) {
      LOG.debug("{} is linked already", link);
    } catch (IOException e) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "layers",
          "cannot link the image "
              + layer.image()
              + " to "
              + link
              + "; it must exist, on the same file system as the backend's state: "
              + e.getMessage(),
          e);
    }
  }

  /** Removes links whose image is gone elsewhere; blocks. */
  void sweep() {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path link : links) {
        if ((int) Files.getAttribute(link, "unix:nlink") == 1) {
          Files.delete(link);
          linked.remove(String.valueOf(link.getFileName()));
        }
      }
    } catch (IOException e) {
      LOG.warn("links of dropped images in {} are kept", directory, e);
    }
  }
}
