// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/** The shelves of all kinds, what they hold together, and which lacks most; guarded by the pool's lock. */
final class Shelves<K, S extends Spare> {

  private static final long FIRST_GUESS_BYTES = 1L << 20;
  private static final int SURPLUS_SHARE = 20;
  private static final int FADING = 100;

  private final PoolBounds bounds;
  private final Set<K> always;
  private final Map<K, Shelf<S>> all = new LinkedHashMap<>();
  private long spareBytes = FIRST_GUESS_BYTES;

  Shelves(PoolBounds bounds, Set<K> always) {
    this.bounds = bounds;
    this.always = Set.copyOf(always);
  }

  /** Makes the shelves that are always there. */
  void start() {
    always.forEach(this::of);
  }

  Shelf<S> of(K key) {
    return all.computeIfAbsent(key, _ -> new Shelf<>(new Demand(always.contains(key))));
  }

  /** The kind that lacks most, while there is room; {@code asked} tells how many stand in line for a kind. */
  Optional<K> next(ToIntFunction<K> asked) {
    K most = null;
    int missing = 0;
    for (Map.Entry<K, Shelf<S>> entry : all.entrySet()) {
      Shelf<S> shelf = entry.getValue();
      int inLine = asked.applyAsInt(entry.getKey()) - shelf.making();
      int lacking = Math.max(shelf.missing(bounds), inLine);
      if (lacking > missing) {
        missing = lacking;
        most = entry.getKey();
      }
    }
    return most != null && hasRoom() ? Optional.of(most) : Optional.empty();
  }

  private boolean hasRoom() {
    int making = making();
    return available() + making < bounds.max()
        && memoryBytes() + (making + 1) * spareBytes <= bounds.memoryBytes();
  }

  /** Whether one more, of which the memory is now known, may stay. */
  boolean fits(S spare) {
    spareBytes = spare.memoryBytes();
    return memoryBytes() + spareBytes <= bounds.memoryBytes();
  }

  int available() {
    return all.values().stream().mapToInt(Shelf::waiting).sum();
  }

  int making() {
    return all.values().stream().mapToInt(Shelf::making).sum();
  }

  long memoryBytes() {
    return all.values().stream().mapToLong(Shelf::memoryBytes).sum();
  }

  int wanted() {
    int sum = all.values().stream().mapToInt(shelf -> shelf.demand().wanted(bounds)).sum();
    return Math.min(sum, bounds.max());
  }

  /** A second has passed: takes away some of what is too many. */
  List<S> second() {
    List<S> surplus = new ArrayList<>();
    fadeGuess();
    for (Shelf<S> shelf : all.values()) {
      shelf.demand().second();
      int excess = Math.min(shelf.waiting(), -shelf.missing(bounds));
      int most = Math.ceilDiv(Math.max(0, excess), SURPLUS_SHARE);
      for (int i = 0; i < most; i++) {
        shelf.takeOldest().ifPresent(surplus::add);
      }
    }
    all.values().removeIf(shelf -> shelf.demand().isOver() && shelf.isEmpty());
    return surplus;
  }

  /** One that was unusually large must not keep others out for ever. */
  private void fadeGuess() {
    long usual = memoryBytes() / Math.max(1, available());
    spareBytes -= (spareBytes - usual) / FADING;
  }

  /** Takes away all. */
  List<S> clear() {
    List<S> waiting = new ArrayList<>();
    for (Shelf<S> shelf : all.values()) {
      while (shelf.waiting() > 0) {
        shelf.takeOldest().ifPresent(waiting::add);
      }
    }
    return waiting;
  }
}
