// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import java.util.List;

/**
 * A root file system, resolved.
 *
 * @param layers lowest first
 * @param environment the digest of the environment it began with, without further layers
 * @param name that environment's name and tag, or empty when it has none any more
 * @param published what that environment has besides layers
 */
public record Stack(List<Layer> layers, String environment, String name, Published published) {

  /** How many layers a root can have. */
  public static final int MOST_LAYERS = 128;

  /** Of a backend without layers. */
  public static final Stack NONE = new Stack(List.of(), "", "", Published.by("root"));

  /** Freezes. */
  public Stack {
    layers = List.copyOf(layers);
  }

  /** FAILED_PRECONDITION with a field and the fix when there would be more layers than a root can have. */
  public static void requireRoom(int layers, String field, String fix) {
    if (layers > MOST_LAYERS) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          field,
          "%s: there would be %d layers, and a sandbox has at most %d; %s"
              .formatted(field, layers, MOST_LAYERS, fix),
          null);
    }
  }

  static Stack of(List<Layer> layers, Named named) {
    return new Stack(layers, named.digest(), named.key(), named.published());
  }

  /** Who runs commands by default. */
  public String user() {
    return published.user();
  }

  /** Digests of the layers, lowest first. */
  public List<String> digests() {
    return layers.stream().map(Layer::digest).toList();
  }
}
