// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.spi.Backend;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Makes layers of what sandboxes wrote, and environments that end with one; blocks. */
public final class SnapshotLayers {

  private final Environments environments;
  private final Reach reach;
  private final Catalogue catalogue;
  private final LayerStore store;

  SnapshotLayers(Environments environments, Reach reach) {
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
   * Makes a layer of a tree. On another stack the same tree is another layer: a stack never holds one twice.
   *
   * @param tree in the form of a lower layer
   * @param place an empty directory for the image while it is made
   * @param on what the tree was written on
   */
  public Sealed seal(Path tree, Path place, Stack on, Backend backend) throws IOException {
    Tree.checkPlaces(tree);
    Path image = place.resolve("image.erofs");
    ErofsImage.make(tree, image, identity(on));
    long size = Files.size(image);
    String digest = reach.adopt(image, LayerStore.digest(image));
    Layer layer = new Layer(digest, store.image(digest));
    try {
      return new Sealed(layer, size, environments.integrity().seal(layer, backend), on);
    } catch (IOException | RuntimeException e) {
      drop(layer);
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
    } catch (RuntimeException e) {
      drop(layer);
      throw e;
    }
    return shown(named);
  }

  /** Removes a layer that nothing names. */
  public void drop(Layer layer) {
    if (catalogue.layer(layer.digest()).isEmpty()) {
      environments.integrity().forget(layer.digest());
      store.delete(layer.digest());
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

  private Environment shown(Named named) {
    return environments.shown(named);
  }

  private static UUID identity(Stack on) {
    String digest = Catalogue.digestOf(on.digests());
    return UUID.nameUUIDFromBytes(digest.getBytes(StandardCharsets.UTF_8));
  }
}
