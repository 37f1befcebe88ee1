// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.config.TransferSettings;
import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.proto.v1.ImportEnvironmentRequest.SourceCase;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Makes layers from sources and environments from layers; blocking, on virtual threads. */
final class Imports {

  private final Environments environments;
  private final Reach reach;
  private final Catalogue catalogue;
  private final Path data;
  private final Path work;
  private final Path cache;
  private final long collapseBytes;
  private final DiskReserve.Room room;
  private final Places places;
  private final Duration stall;
  private final ReentrantLock debian = new ReentrantLock();

  Imports(Environments environments, Reach reach, EnvironmentParts parts) {
    this.environments = environments;
    this.collapseBytes = parts.settings().collapseBytes();
    this.places = new Places(TransferSettings.IMPORTS, parts.transfers().imports());
    this.stall = parts.transfers().stall();
    this.reach = reach;
    this.catalogue = reach.catalogue();
    this.data = parts.data();
    this.work = data.resolve("imports");
    this.cache = data.resolve("cache");
    try {
      Tree.delete(work);
      Files.createDirectories(work);
      Files.createDirectories(cache);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    this.room = parts.reserve().room(work);
  }

  /** Bytes of an uploaded archive. */
  @FunctionalInterface
  interface Archive {
    /** Opens it, once; reading is DEADLINE_EXCEEDED when nothing comes for so long. */
    InputStream open(Duration stall);
  }

  /** Imports; what is made appears whole at the end or not at all. */
  Named run(ImportRequest request, Archive upload, Consumer<String> progress) throws IOException {
    Stack.requireRoom(
        request.on().size() + 1,
        "on",
        "export what it stands on and import that with a larger node.collapse-bytes");
    try (Places.Place _ = places.take(progress)) {
      room.require(0);
      return make(request, upload, progress);
    } catch (IOException e) {
      throw DiskFull.or(e, data);
    } catch (RuntimeException e) {
      throw DiskFull.or(e, data);
    }
  }

  private Named make(ImportRequest request, Archive upload, Consumer<String> progress)
      throws IOException {
    Path place = Files.createDirectory(work.resolve(UUID.randomUUID().toString()));
    try {
      if (request.asked().getSourceCase() == SourceCase.IMAGE) {
        return ofImage(request, place, progress);
      }
      Path image = place.resolve("image.erofs");
      String user = image(request, new Place(place, image), upload, progress);
      return publish(request, List.of(image), request.inherited().with(user), progress);
    } finally {
      Tree.delete(place);
    }
  }

  private Named ofImage(ImportRequest request, Path place, Consumer<String> progress)
      throws IOException {
    ImageImport images =
        new ImageImport(new ImageImport.Setting(place, collapseBytes, stall), room, progress);
    OciLayout image = images.fetch(request.asked().getImage());
    image.config().check(request.asked().getUser().isEmpty());
    ImageImport.Made made = images.images(image, request.on().size());
    Account own = image.config().user().or(known(request, made.view()));
    String user = user(request, "image", own, made.view());
    Published published =
        request.on().isEmpty() ? image.config().published(made.view()) : request.inherited();
    return publish(request, made.images(), published.with(user), progress);
  }

  private record Place(Path directory, Path image) {
    Path tree() throws IOException {
      Path tree = Files.createDirectories(directory.resolve("tree"));
      Files.setAttribute(tree, "unix:mode", 0755);
      return tree;
    }
  }

  /** Makes the image and says who its user is. */
  private String image(
      ImportRequest request, Place place, Archive upload, Consumer<String> progress)
      throws IOException {
    return switch (request.asked().getSourceCase()) {
      case BUILTIN ->
          request.asked().getBuiltin().equals("debian")
              ? debian(request, place, progress)
              : busybox(request, place, progress);
      case DIRECTORY -> {
        try {
          yield imageOf(request, directory(request), place.image(), progress);
        } catch (NoSuchFileException e) {
          throw SandgateException.invalid(
              "directory",
              e.getFile() + " went away while it was read; give one that stands still");
        }
      }
      case TAR -> {
        try (InputStream in = Files.newInputStream(tar(request))) {
          yield unpacked(request, in, place, progress);
        }
      }
      case UPLOAD -> {
        try (InputStream in = upload.open(stall)) {
          yield unpacked(request, in, place, progress);
        }
      }
      case IMAGE, SOURCE_NOT_SET -> throw new IllegalStateException("checked before");
    };
  }

  private String busybox(ImportRequest request, Place place, Consumer<String> progress)
      throws IOException {
    Path tree = place.tree();
    BusyboxTree.make(tree);
    return imageOf(request, tree, place.image(), progress);
  }

  /** Made once per recipe; later imports take the cached image. */
  private String debian(ImportRequest request, Place place, Consumer<String> progress)
      throws IOException {
    Path cached = cache.resolve(DebianTree.RECIPE + ".erofs");
    debian.lock();
    try {
      if (!Files.exists(cached)) {
        Path tree = place.tree();
        DebianTree.make(tree, room, progress);
        build(tree, place.image(), progress);
        Files.createLink(cached, place.image());
      } else {
        Files.createLink(place.image(), cached);
      }
      return request.asked().getUser().isEmpty() ? "user" : request.asked().getUser();
    } finally {
      debian.unlock();
    }
  }

  private String unpacked(
      ImportRequest request, InputStream archive, Place place, Consumer<String> progress)
      throws IOException {
    progress.accept("unpacking the archive");
    Path tree = place.tree();
    new TarTree(tree, room).unpack(archive);
    return imageOf(request, tree, place.image(), progress);
  }

  private String imageOf(ImportRequest request, Path tree, Path image, Consumer<String> progress)
      throws IOException {
    Beneath view = new Beneath(List.of(tree));
    String user = user(request, "user", known(request, view), view);
    build(tree, image, progress);
    return user;
  }

  private void build(Path tree, Path image, Consumer<String> progress) throws IOException {
    progress.accept("checking the tree");
    long bytes = Tree.check(tree);
    progress.accept("building the image");
    try (DiskReserve.Share share = room.share(bytes)) {
      ErofsImage.make(tree, image, share.room());
    }
  }

  private static Account known(ImportRequest request, Beneath view) throws IOException {
    String inherited = request.inherited().user();
    return Account.of(
        Account.lists(view, "user") ? "user" : inherited.isEmpty() ? "root" : inherited);
  }

  /** Who commands run as: whom the request names, or otherwise one of a field. */
  private static String user(ImportRequest request, String field, Account otherwise, Beneath view)
      throws IOException {
    String asked = request.asked().getUser();
    Account account = asked.isEmpty() ? otherwise : Account.of(asked);
    account.check(asked.isEmpty() ? field : "user", view, request.on().isEmpty());
    return account.text();
  }

  private static Path directory(ImportRequest request) {
    Path directory = Path.of(request.asked().getDirectory());
    if (Files.isSymbolicLink(directory)) {
      throw SandgateException.invalid(
          "directory", directory + " is a symbolic link; give the directory that it leads to");
    }
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw SandgateException.invalid("directory", directory + " is no directory");
    }
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw missing("directory", directory);
    }
    return directory;
  }

  private static Path tar(ImportRequest request) {
    Path tar = Path.of(request.asked().getTar());
    if (!Files.exists(tar)) {
      throw missing("tar", tar);
    }
    if (!Files.isRegularFile(tar)) {
      throw SandgateException.invalid(
          "tar", tar + " is no regular file; give a tar archive, gzipped or not");
    }
    return tar;
  }

  private Named publish(
      ImportRequest request, List<Path> images, Published published, Consumer<String> progress)
      throws IOException {
    progress.accept("storing the layers");
    Map<String, Path> made = new LinkedHashMap<>();
    List<StoredLayer> layers = new ArrayList<>(reach.foreign(request.on()));
    List<String> stack = request.on();
    for (Path image : images) {
      StoredLayer layer = stored(request, image);
      stack = catalogue.stacked(stack, layers, layer);
      layers.add(layer);
      made.put(layer.digest(), image);
    }
    Named named =
        new Named(
            request.asked().getName(),
            request.tag(),
            stack,
            published.of(request.owner()),
            System.currentTimeMillis());
    catalogue.requireFree(named, request.asked().getReplace());
    return publish(made, layers, named, request.asked().getReplace());
  }

  private static StoredLayer stored(ImportRequest request, Path image) throws IOException {
    return new StoredLayer(
        LayerStore.digest(image),
        request.kind(),
        request.asked().getName(),
        Files.size(image),
        request.source());
  }

  private Named publish(
      Map<String, Path> made, List<StoredLayer> layers, Named named, boolean replace)
      throws IOException {
    List<String> taken = new ArrayList<>();
    try {
      for (Map.Entry<String, Path> one : made.entrySet()) {
        environments.take(one.getValue(), one.getKey());
        taken.add(one.getKey());
      }
      return catalogue.publish(layers, named, replace);
    } finally {
      taken.forEach(environments::letGo);
    }
  }

  private static SandgateException missing(String field, Path path) {
    return new SandgateException(
        ErrorCode.NOT_FOUND, field, field + ": " + path + " is not there on the node", null);
  }
}
