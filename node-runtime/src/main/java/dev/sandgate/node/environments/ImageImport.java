// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.OciLayout.Blob;
import dev.sandgate.node.environments.OciLayout.Content;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Makes layers of an OCI image. skopeo fetches it from wherever it is, with its digests checked, into an OCI layout; then each
 * layer's tar is applied to a tree, and each tree becomes one EROFS image. Neighbours share a tree while they are small: a sandbox
 * mounts fewer layers, and sees the same.
 */
final class ImageImport {

  private static final Duration FETCH = Duration.ofMinutes(30);
  private static final Pattern REFERENCE =
      Pattern.compile(
          "docker://[A-Za-z0-9._:/@\\[\\]-]{1,1000}|(oci|oci-archive|docker-archive):/[\\x21-\\x7e]{1,1000}");
  private static final Pattern LOOPBACK =
      Pattern.compile("docker://(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?/.*");

  private final Path place;
  private final long collapseBytes;
  private final Duration stall;
  private final DiskReserve.Room room;
  private final Consumer<String> progress;

  /**
   * How it is done.
   *
   * @param place an empty directory for what is made on the way
   * @param collapseBytes how large the layers that share a tree may be together, as blobs
   * @param stall how long nothing may come
   */
  record Setting(Path place, long collapseBytes, Duration stall) {}

  /** Prepares; with room for what is made. */
  ImageImport(Setting setting, DiskReserve.Room room, Consumer<String> progress) {
    this.room = room;
    this.place = setting.place();
    this.collapseBytes = setting.collapseBytes();
    this.stall = setting.stall();
    this.progress = progress;
  }

  /** Checks what names an image. */
  static String reference(String text) {
    if (!REFERENCE.matcher(text).matches()) {
      throw OciLayout.bad(
          Fields.shown(text)
              + " names none; give docker://HOST/NAME:TAG, or on the node oci:/DIR:NAME,"
              + " oci-archive:/FILE or docker-archive:/FILE");
    }
    return text;
  }

  /** Fetches an image. */
  OciLayout fetch(String reference) throws IOException {
    progress.accept("fetching the image");
    Path layout = place.resolve("oci");
    List<String> command =
        new ArrayList<>(
            List.of("skopeo", "--insecure-policy", "--tmpdir=" + place, "copy", "--retry-times=2"));
    if (onLoopback(reference)) {
      command.add("--src-tls-verify=false");
    }
    command.addAll(List.of("--", reference, "oci:" + layout + ":image"));
    new Tool(FETCH, command.toArray(String[]::new))
        .within(room)
        .moving(stall)
        .run(line -> progress.accept(shortened(line)));
    return OciLayout.read(layout);
  }

  /** A registry of this host may speak plain HTTP, as Docker takes it. */
  static boolean onLoopback(String reference) {
    return LOOPBACK.matcher(reference).matches();
  }

  static String shortened(String line) {
    return line.length() < 100 ? line : line.substring(0, 100);
  }

  /**
   * What became of an image.
   *
   * @param images lowest first; a layer without content makes none
   * @param view their trees
   */
  record Made(List<Path> images, Beneath view) {}

  /** Makes the images, to be put on so many layers. */
  Made images(OciLayout image, int on) throws IOException {
    List<Path> images = new ArrayList<>();
    Beneath beneath = Beneath.NOTHING;
    List<List<Blob>> groups = groups(image.layers());
    for (int i = 0; i < groups.size(); i++) {
      Path tree = Files.createDirectory(place.resolve("tree-" + i));
      Files.setAttribute(tree, "unix:mode", 0755);
      if (unpack(groups.get(i), tree, beneath, i, groups.size()) > 0) {
        Stack.requireRoom(
            on + images.size() + 1,
            "image",
            "raise node.collapse-bytes, so that small layers become one, or squash the image");
        images.add(made(tree, place.resolve("image-" + i + ".erofs")));
        beneath = beneath.under(tree);
      }
    }
    if (images.isEmpty()) {
      throw OciLayout.bad("all of its layers are empty");
    }
    return new Made(List.copyOf(images), beneath);
  }

  private long unpack(List<Blob> group, Path tree, Beneath beneath, int index, int of)
      throws IOException {
    progress.accept("unpacking layer %d of %d".formatted(index + 1, of));
    long entries = 0;
    for (Blob blob : group) {
      try (Content content = blob.open()) {
        entries += new TarTree(tree, new LayerMerge(tree, beneath), room).unpack(content);
        content.verify();
      } catch (SandgateException e) {
        throw e.code() == ErrorCode.INVALID_ARGUMENT ? blob.named(e) : e;
      }
    }
    return entries;
  }

  private Path made(Path tree, Path image) throws IOException {
    try (DiskReserve.Share share = room.share(Tree.checkImage(tree))) {
      ErofsImage.make(tree, image, share.room());
    }
    return image;
  }

  private List<List<Blob>> groups(List<Blob> layers) {
    List<List<Blob>> groups = new ArrayList<>();
    long size = 0;
    for (Blob layer : layers) {
      size += layer.size();
      if (groups.isEmpty() || size > collapseBytes) {
        groups.add(new ArrayList<>());
        size = layer.size();
      }
      groups.getLast().add(layer);
    }
    return groups;
  }
}
