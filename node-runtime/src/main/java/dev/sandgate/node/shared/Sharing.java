// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.spi.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Optional;

/**
 * Puts one layer into the shared storage: the image, the blocks that say what is in it, and last what it is.
 *
 * @param storage where to
 * @param clock told at each step
 */
record Sharing(SharedStorage storage, Access.Clock clock) {

  /** How much is read at once and has one digest. */
  static final int CHUNK = 256 << 10;

  /** Does it unless it is there; returns the bytes written. */
  long put(LayerInfo layer, Path image, Optional<Manifest> manifest) throws IOException {
    if (storage.isWhole(layer)) {
      return 0;
    }
    SharedLayer.Builder facts = SharedLayer.newBuilder().setLayer(layer).setChunkBytes(CHUNK);
    long written;
    try (Source whole = Source.whole(image, CHUNK, clock)) {
      storage.putImage(layer, whole);
      facts.setChunkDigests(whole.digests());
      written = whole.bytes();
    }
    BitSet needed = ErofsMetadata.of(image);
    clock.move();
    try (Source blocks = Source.blocks(image, needed, clock)) {
      storage.putMetadata(layer, blocks);
      facts.setMetadataDigest(blocks.digest());
      written += blocks.bytes();
    }
    runs(needed, facts);
    manifest.ifPresent(known -> sealed(known, facts));
    storage.putFacts(facts.build());
    return written;
  }

  private static void runs(BitSet needed, SharedLayer.Builder facts) {
    for (int from = needed.nextSetBit(0); from >= 0; ) {
      int end = needed.nextClearBit(from);
      facts.addMetadataRuns(from).addMetadataRuns(end - from);
      from = needed.nextSetBit(end);
    }
  }

  private static void sealed(Manifest manifest, SharedLayer.Builder facts) {
    facts
        .setManifestDigest(manifest.digest())
        .setManifestEntries(manifest.entries())
        .setManifestBytes(manifest.bytes());
  }
}
