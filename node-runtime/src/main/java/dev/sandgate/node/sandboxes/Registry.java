// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.admission.Commitments;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Every sandbox the node knows, living and lately ended, by id and by age. */
final class Registry {

  private final ConcurrentHashMap<String, LiveSandbox> byId = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<Long, LiveSandbox> byAge = new ConcurrentSkipListMap<>();
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong sequence = new AtomicLong();
  private final Commitments commitments;

  Registry(Commitments commitments) {
    this.commitments = commitments;
  }

  /** Microseconds since the epoch, made unique: newest is highest, also after a restart. */
  long nextSequence() {
    long now = System.currentTimeMillis() * 1_000;
    return sequence.updateAndGet(last -> Math.max(last + 1, now));
  }

  /** Places among the living: taken before a sandbox is put in, given back when it has ended. */
  Commitments commitments() {
    return commitments;
  }

  /** Puts in a sandbox that has a place, or ALREADY_EXISTS. */
  void add(LiveSandbox live) {
    if (byId.putIfAbsent(live.id(), live) != null) {
      throw new SandgateException(
          ErrorCode.ALREADY_EXISTS, "assigned_id", "sandbox " + live.id() + " exists", null);
    }
    byAge.put(live.sequence(), live);
    begun.incrementAndGet();
  }

  /** Puts back what an earlier run recorded. */
  void restore(LiveSandbox live) {
    byId.put(live.id(), live);
    byAge.put(live.sequence(), live);
    sequence.accumulateAndGet(live.sequence(), Math::max);
    if (!Lifecycle.ended(live.state())) {
      commitments.take(live.secret().getSpec().getLimits());
      begun.incrementAndGet();
    }
  }

  void forget(LiveSandbox live) {
    byId.remove(live.id(), live);
    byAge.remove(live.sequence(), live);
  }

  @Nullable LiveSandbox find(String id) {
    return byId.get(id);
  }

  /** How many took a place among the living since the node started, those from before it included. */
  long begun() {
    return begun.get();
  }

  int living() {
    return commitments.sandboxes();
  }

  /** All of them, newest first. */
  NavigableMap<Long, LiveSandbox> newestFirst() {
    return byAge.descendingMap();
  }
}
