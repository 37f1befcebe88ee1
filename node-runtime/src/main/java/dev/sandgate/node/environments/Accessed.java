// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import java.util.List;

/** How much of an environment was needed, by what is known of its layers. */
final class Accessed {

  private Accessed() {}

  /** Fills it in where any layer's is known. */
  static void fill(Environment.Builder shown) {
    List<LayerInfo> measured =
        shown.getLayersList().stream()
            .filter(layer -> layer.hasAccessedFraction() && layer.getSizeBytes() > 0)
            .toList();
    long size = measured.stream().mapToLong(LayerInfo::getSizeBytes).sum();
    if (size > 0) {
      double needed =
          measured.stream()
              .mapToDouble(layer -> layer.getAccessedFraction() * layer.getSizeBytes())
              .sum();
      shown.setAccessedFraction(needed / size);
    }
  }

  /** What is this node's alone is not shared. */
  static LayerInfo without(LayerInfo layer) {
    return layer.toBuilder()
        .clearLocalBytes()
        .clearDemandBytes()
        .clearBulkBytes()
        .clearAccessedFraction()
        .build();
  }
}
