// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.shared.LocalLayers;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * The node's own layers, for those that are shared.
 *
 * @param catalogue what there is
 * @param store the images
 * @param uses who stands on them
 * @param room where the images are
 */
record OwnLayers(Catalogue catalogue, LayerStore store, Uses uses, DiskReserve.Room room)
    implements LocalLayers {

  @Override
  public Path image(String digest) {
    return store.image(digest);
  }

  @Override
  public void thrownAway(String digest) {
    store.delete(digest);
  }

  @Override
  public void requireRoom(long bytes) {
    room.require(bytes);
  }

  @Override
  public boolean isUsed(String digest) {
    return uses.layers().contains(digest);
  }

  @Override
  public Set<String> needed() {
    Set<String> needed = new TreeSet<>(uses.layers());
    catalogue.layers().forEach(layer -> needed.add(layer.digest()));
    return needed;
  }
}
