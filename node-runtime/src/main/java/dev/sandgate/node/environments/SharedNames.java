// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.EnvironmentName;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.shared.SharedLayers;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.PullEnvironmentRequest;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentResponse;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.List;

/** Puts environments into the shared directory, takes them out and brings them; blocks. */
final class SharedNames {

  private final Environments environments;
  private final Reach reach;

  SharedNames(Environments environments, Reach reach) {
    this.environments = environments;
    this.reach = reach;
  }

  /** Layers first, the name last: who sees it can use it. Then the layers once more, for those that were removed meanwhile. */
  Environment share(ShareEnvironmentRequest request) {
    SharedLayers shared = require();
    Named named = environments.requireOwn("reference", request.getReference());
    Environment shown = environments.shown(named);
    Environment.Builder kept = shown.toBuilder().clearSandboxes().clearShared().clearLayers();
    kept.clearAccessedFraction();
    for (LayerInfo layer : shown.getLayersList()) {
      kept.addLayers(Accessed.without(layer));
    }
    share(kept.getLayersList(), shared);
    shared.share(kept.build(), request.getReplace());
    share(kept.getLayersList(), shared);
    return environments.shown(named);
  }

  private void share(List<LayerInfo> layers, SharedLayers shared) {
    for (LayerInfo layer : layers) {
      shared.share(layer, environments.integrity().manifest(layer.getDigest()));
    }
  }

  UnshareEnvironmentResponse unshare(UnshareEnvironmentRequest request) {
    String reference = request.getReference();
    String key = reference.indexOf(':') >= 0 ? reference : reference + ":latest";
    if (!EnvironmentName.isKey(key) || !require().unshare(key)) {
      throw new SandgateException(
          ErrorCode.NOT_FOUND, "reference", "reference: " + key + " is not shared", null);
    }
    return UnshareEnvironmentResponse.getDefaultInstance();
  }

  CollectSharedResponse collect(CollectSharedRequest request) {
    if (request.getIdleMillis() < 0) {
      throw SandgateException.invalid("idle_millis", "give 0 or more");
    }
    return require().collect(request);
  }

  /** All layers as a whole; those that are the node's own are here already. */
  Environment pull(PullEnvironmentRequest request) {
    require();
    Named named = environments.require("reference", request.getReference());
    reach.layers(named.digests(), false);
    return environments.shown(named);
  }

  private SharedLayers require() {
    return reach
        .shared()
        .orElseThrow(
            () ->
                new SandgateException(
                    ErrorCode.FAILED_PRECONDITION,
                    "",
                    "this node shares no layers; set node.shared-layers to a directory or a registry that nodes share",
                    null));
  }
}
