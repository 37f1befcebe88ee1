// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.spi.Layer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** How many living sandboxes stand on each environment, by name, and on each layer. */
final class Uses {

  private final Map<String, Integer> environments = new HashMap<>();
  private final Map<String, Integer> layers = new HashMap<>();

  synchronized void add(Stack stack) {
    environments.merge(key(stack.name(), stack.environment()), 1, Integer::sum);
    stack.layers().forEach(layer -> layers.merge(layer.digest(), 1, Integer::sum));
  }

  synchronized void remove(Stack stack) {
    environments.computeIfPresent(
        key(stack.name(), stack.environment()), (_, count) -> less(count));
    for (Layer layer : stack.layers()) {
      layers.computeIfPresent(layer.digest(), (_, count) -> less(count));
    }
  }

  /** Those that were made from this name while it stood for this content. */
  synchronized int of(Named named) {
    return environments.getOrDefault(key(named.key(), named.digest()), 0);
  }

  synchronized Set<String> layers() {
    return Set.copyOf(layers.keySet());
  }

  private static String key(String name, String digest) {
    return name + "@" + digest;
  }

  @SuppressWarnings("NullAway") // null takes the entry away
  private static Integer less(int count) {
    return count == 1 ? null : count - 1;
  }
}
