// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.Layer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** How many living sandboxes stand on each environment and each layer. */
final class Uses {

  private final Map<String, Integer> environments = new HashMap<>();
  private final Map<String, Integer> layers = new HashMap<>();

  synchronized void add(Stack stack) {
    environments.merge(stack.environment(), 1, Integer::sum);
    stack.layers().forEach(layer -> layers.merge(layer.digest(), 1, Integer::sum));
  }

  synchronized void remove(Stack stack) {
    environments.computeIfPresent(stack.environment(), (_, count) -> less(count));
    for (Layer layer : stack.layers()) {
      layers.computeIfPresent(layer.digest(), (_, count) -> less(count));
    }
  }

  synchronized int ofEnvironment(String digest) {
    return environments.getOrDefault(digest, 0);
  }

  synchronized Set<String> layers() {
    return Set.copyOf(layers.keySet());
  }

  @SuppressWarnings("NullAway") // null takes the entry away
  private static Integer less(int count) {
    return count == 1 ? null : count - 1;
  }
}
