// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.spi.Backend;
import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SnapshotLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** Makes layers of what sandboxes wrote, and environments that end with one; blocks. */
public final class SnapshotLayers {

  private final Environments environments;
  private final Reach reach;
  private final Catalogue catalogue;
  private final LayerStore store;
  private final DiskReserve.Room room;

  SnapshotLayers(Environments environments, Reach reach, DiskReserve.Room room) {
    this.room = room;
    this.environments = environments;
    this.reach = reach;
    this.catalogue = reach.catalogue();
    this.store = reach.store();
  }

  /**
   * A layer that is made and not yet named.
   *
   * @param layer its digest and image
   * @param size of the image, bytes
   * @param manifest what is in it
   * @param on what it was written on
   */
  public record Sealed(Layer layer, long size, Manifest manifest, Stack on) {}

  /** A name to publish under, and who does it. */
  public record Name(String name, String tag, boolean replace, String owner) {
    /** As callers write it. */
    public String key() {
      return name + ":" + tag;
    }
  }

  /** ALREADY_EXISTS when a name is taken and may not be moved. */
  public void requireFree(Name name) {
    if (!name.replace() && catalogue.find(name.key()).isPresent()) {
      throw Catalogue.taken(name.key());
    }
  }

  /** FAILED_PRECONDITION when one more layer is more than a root can have. */
  public void requireRoom(Stack stack) {
    Stack.requireRoom(
        stack.layers().size() + 1,
        "sandbox_id",
        "export what it stands on and import that with a larger node.collapse-bytes");
  }

  /**
   * Room for a copy, promised to nobody else until it is closed: half of what is left at most, because an image is as large as its
   * files, holes included, and is made beside the copy. RESOURCE_EXHAUSTED when nothing may be written.
   */
  public DiskReserve.Share affordable(SnapshotLimits limits) {
    room.require(0);
    return room.part(limits.bytes());
  }

  /** What a copy is refused with that met the reserve. */
  public static SandgateException unaffordable(SandgateException refused) {
    return DiskReserve.exhausted(
        "the snapshot would reach into the reserve, or into what others are writing (%s)"
            .formatted(refused.getMessage()),
        refused);
  }

  /** FAILED_PRECONDITION with an entry's path when no image holds its name. */
  public static void requireName(Path root, Path entry) {
    if (!ErofsImage.holdsName(entry)) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "",
          "/%s: its name is longer than 254 bytes, which no image holds; rename or remove it"
              .formatted(root.relativize(entry)),
          null);
    }
  }

  /** Keeps the layers of a stack until {@link #release}. */
  public void hold(Stack stack) {
    environments.uses().hold(stack);
  }

  /** Lets go of what {@link #hold} kept. */
  public void release(Stack stack) {
    environments.uses().release(stack);
  }

  /**
   * Makes a layer of a copy. On another stack the same tree is another layer: a stack never holds one twice.
   *
   * @param copy in the form of a lower layer
   * @param place an empty directory for the image while it is made
   * @param on what the tree was written on
   */
  public Sealed seal(DiskSnapshot copy, Path place, Stack on, Backend backend) throws IOException {
    Tree.checkPlaces(copy.tree());
    Path image = place.resolve("image.erofs");
    try (DiskReserve.Share share = room.share(copy.bytes())) {
      ErofsImage.make(copy.tree(), image, identity(on), share.room());
    }
    long size = Files.size(image);
    String digest = LayerStore.digest(image);
    environments.take(image, digest);
    Layer layer = new Layer(digest, store.image(digest));
    try {
      return new Sealed(layer, size, environments.integrity().seal(layer, backend), on);
    } catch (IOException | RuntimeException e) {
      environments.letGo(digest);
      throw e;
    }
  }

  /** Puts a layer on its stack and under a name. */
  public Environment publish(Sealed sealed, Name name, String source) {
    Layer layer = sealed.layer();
    StoredLayer stored =
        new StoredLayer(
            layer.digest(), LayerKind.LAYER_KIND_SNAPSHOT, name.name(), sealed.size(), source);
    List<String> digests = new ArrayList<>(sealed.on().digests());
    digests.add(layer.digest());
    Named named =
        new Named(
            name.name(),
            name.tag(),
            digests,
            sealed.on().published().of(name.owner()),
            System.currentTimeMillis());
    try {
      List<StoredLayer> layers = new ArrayList<>(reach.foreign(sealed.on().digests()));
      layers.add(stored);
      catalogue.publish(layers, named, name.replace());
      return shown(named);
    } finally {
      environments.letGo(layer.digest());
    }
  }

  /** Removes a name, as for every environment. */
  public void remove(String reference) {
    environments.remove(reference);
  }

  /** What there is under a name. NOT_FOUND. */
  public Environment require(String reference) {
    return shown(environments.require("reference", reference));
  }

  /**
   * What there is under a name.
   *
   * @param createdMillis since when, since the epoch
   * @param key name and tag
   * @param digest of the stack
   * @param shown as callers see it
   */
  public record Listed(
      long createdMillis, String key, String digest, Supplier<Environment> shown) {}

  /** All that there is. */
  public List<Listed> all() {
    return catalogue.environments().stream()
        .map(
            named ->
                new Listed(named.createdMillis(), named.key(), named.digest(), () -> shown(named)))
        .toList();
  }

  /** The digests of all that there is, under a name or still usable without one. */
  public Set<String> digests() {
    return catalogue.digests();
  }

  private Environment shown(Named named) {
    return environments.shown(named);
  }

  private static UUID identity(Stack on) {
    String digest = Catalogue.digestOf(on.digests());
    return UUID.nameUUIDFromBytes(digest.getBytes(StandardCharsets.UTF_8));
  }
}
