// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which living sandboxes stand on each environment, by name, and on each layer. */
final class Uses {

  private final Map<String, Set<String>> environments = new HashMap<>();
  private final Map<String, Integer> layers = new HashMap<>();

  synchronized void add(Stack stack, String sandboxId) {
    environments
        .computeIfAbsent(key(stack.name(), stack.environment()), _ -> new LinkedHashSet<>())
        .add(sandboxId);
    hold(stack);
  }

  synchronized void remove(Stack stack, String sandboxId) {
    String key = key(stack.name(), stack.environment());
    Set<String> of = environments.getOrDefault(key, Set.of());
    if (of.contains(sandboxId) && of.size() == 1) {
      environments.remove(key);
    } else {
      of.remove(sandboxId);
    }
    release(stack);
  }

  /** Keeps the layers without counting as a sandbox. */
  synchronized void hold(Stack stack) {
    stack.digests().forEach(this::hold);
  }

  /** Keeps one layer. */
  synchronized void hold(String layer) {
    layers.merge(layer, 1, Integer::sum);
  }

  synchronized void release(Stack stack) {
    stack.digests().forEach(this::release);
  }

  synchronized void release(String layer) {
    layers.computeIfPresent(layer, (_, count) -> less(count));
  }

  /** Those that were made from this name while it stood for this content. */
  synchronized List<String> of(Named named) {
    return List.copyOf(environments.getOrDefault(key(named.key(), named.digest()), Set.of()));
  }

  /** How many stand on a layer. */
  synchronized int count(String layer) {
    return layers.getOrDefault(layer, 0);
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
