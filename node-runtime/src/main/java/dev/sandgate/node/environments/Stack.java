// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.Layer;
import java.util.List;

/**
 * A root file system, resolved.
 *
 * @param layers lowest first
 * @param environment the digest of the environment it began with, without further layers
 * @param name that environment's name and tag, or empty when it has none any more
 * @param user who runs commands by default
 */
public record Stack(List<Layer> layers, String environment, String name, String user) {

  /** Of a backend without layers. */
  public static final Stack NONE = new Stack(List.of(), "", "", "root");

  /** Freezes. */
  public Stack {
    layers = List.copyOf(layers);
  }

  /** Digests of the layers, lowest first. */
  public List<String> digests() {
    return layers.stream().map(Layer::digest).toList();
  }
}
