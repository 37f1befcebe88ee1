// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.shared.SharedStorage.Stored;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.CollectedLayer;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers of the shared storage that nothing needs: no shared name, not this node, none of those that others need, and not
 * shared a moment ago by somebody who has yet to put the name there. Blocks.
 */
record SharedGarbage(
    SharedStorage storage, Access access, SharedEnvironments environments, LocalLayers local) {

  private static final Logger LOG = LoggerFactory.getLogger(SharedGarbage.class);

  /** Finds them, and removes them if that is wanted. A name that cannot be read ends it: what it needs is not known. */
  CollectSharedResponse collect(CollectSharedRequest request) {
    Instant notAfter = Instant.now().minusMillis(request.getIdleMillis());
    // Layers before names: a name that comes meanwhile has layers that are younger, or were there
    // and are named.
    var layers = access.call("list layers", storage::layers);
    Set<String> needed = new HashSet<>(request.getNeededList());
    needed.addAll(local.needed());
    for (Environment one : environments.allOrNone()) {
      one.getLayersList().stream().map(LayerInfo::getDigest).forEach(needed::add);
    }
    CollectSharedResponse.Builder answer =
        CollectSharedResponse.newBuilder().setPlace(storage.place()).addAllNeeded(local.needed());
    for (Stored layer : layers) {
      boolean loose = !needed.contains(layer.digest()) && !layer.shared().isAfter(notAfter);
      if (loose && (!request.getRemove() || remove(layer, notAfter))) {
        answer.addLayers(shown(layer));
      }
    }
    return answer.build();
  }

  private boolean remove(Stored layer, Instant notAfter) {
    boolean removed = access.call("remove a layer", _ -> storage.remove(layer.digest(), notAfter));
    if (removed) {
      LOG.info("{} is removed from {}: nothing needs it", layer.digest(), storage.place());
    }
    return removed;
  }

  private static CollectedLayer shown(Stored layer) {
    Instant shared = layer.shared();
    return CollectedLayer.newBuilder()
        .setDigest(layer.digest())
        .setSizeBytes(layer.size())
        .setSharedAt(
            Timestamp.newBuilder().setSeconds(shared.getEpochSecond()).setNanos(shared.getNano()))
        .build();
  }
}
