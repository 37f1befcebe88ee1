// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.Sandbox;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * When a sandbox must end. Counts on a monotonic clock from its own beginning; the wall clock is read only there, to
 * find out what is left of limits that were set before the node restarted. Safe for any thread.
 */
final class TimeLimits {

  private static final long NEVER = Long.MAX_VALUE;

  private final LongSupplier nanoClock;
  private final long begunNanos;
  private final long sessionAt;
  private final long idleNanos;
  private final long idlePauseNanos;
  private final AtomicInteger users = new AtomicInteger();
  private volatile long leaseAt;
  private volatile long usedAt;
  private volatile long restedAt;
  private volatile long pausedUntil = NEVER;
  private volatile long pausedAt;

  private TimeLimits(
      LongSupplier nanoClock, long sessionAt, long leaseAt, long idleNanos, long idlePauseNanos) {
    this.nanoClock = nanoClock;
    this.begunNanos = nanoClock.getAsLong();
    this.sessionAt = sessionAt;
    this.leaseAt = leaseAt;
    this.idleNanos = idleNanos;
    this.idlePauseNanos = idlePauseNanos;
  }

  /** A limit, named as the sandbox's end and its commands' results name it. */
  enum Limit {
    /** It has lived as long as it may. */
    SESSION("its lifetime was over"),
    /** Its owner has not renewed it. */
    LEASE("its lease was not renewed"),
    /** Nobody has used it. */
    IDLE_TTL("nobody used it"),
    /** It has stood still as long as it may. */
    PAUSED_TTL("it was paused for too long");

    private final String detail;

    Limit(String detail) {
      this.detail = detail;
    }

    /** In words. */
    String detail() {
      return detail;
    }

    /** Whether a sandbox's end has this kind of reason. */
    static boolean names(String reason) {
      for (Limit limit : values()) {
        if (limit.name().equals(reason)) {
          return true;
        }
      }
      return false;
    }
  }

  /** What is left of a record's limits; idle time begins now. */
  static TimeLimits of(Sandbox record, long wallMillis, LongSupplier nanoClock) {
    return new TimeLimits(
        nanoClock,
        record.hasExpiresAt() ? left(record.getExpiresAt(), wallMillis) : NEVER,
        record.hasLeaseUntil() ? left(record.getLeaseUntil(), leaseNow(record, wallMillis)) : NEVER,
        nanos(record.getSpec().getIdleTimeoutMillis()),
        nanos(record.getSpec().getIdlePauseMillis()));
  }

  private static long nanos(long millis) {
    return millis == 0 ? NEVER : TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** A lease does not run while its sandbox is paused. */
  private static long leaseNow(Sandbox record, long wallMillis) {
    return record.hasPausedAt() ? Times.millis(record.getPausedAt()) : wallMillis;
  }

  /** Somebody uses it, until {@link #unused}. */
  void used() {
    users.incrementAndGet();
  }

  void unused() {
    usedAt = now();
    users.decrementAndGet();
  }

  /** Lets the lease run anew. */
  void renew(long millis) {
    leaseAt = now() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Neither lease nor idle time run until {@link #resume}; it may stand still for so long. */
  void pause(long mostMillis) {
    pausedAt = now();
    pausedUntil = pausedAt + TimeUnit.MILLISECONDS.toNanos(mostMillis);
  }

  /** They go on where they were. */
  void resume() {
    long paused = now() - pausedAt;
    leaseAt = leaseAt == NEVER ? NEVER : leaseAt + paused;
    usedAt = now();
    pausedUntil = NEVER;
  }

  /** The limit that has passed, if one has. */
  Optional<Limit> passed() {
    long now = now();
    if (now >= sessionAt) {
      return Optional.of(Limit.SESSION);
    }
    if (pausedUntil != NEVER) {
      return now >= pausedUntil ? Optional.of(Limit.PAUSED_TTL) : Optional.empty();
    }
    if (now >= leaseAt) {
      return Optional.of(Limit.LEASE);
    }
    return idleNanos != NEVER && users.get() == 0 && now - usedAt >= idleNanos
        ? Optional.of(Limit.IDLE_TTL)
        : Optional.empty();
  }

  /** Whether nobody uses it now. */
  boolean isIdle() {
    return users.get() == 0;
  }

  /** Whether it is to be paused because nobody has used it; once, and again only after as long a time. */
  boolean restIsDue() {
    if (nanosToRest(now()) > 0) {
      return false;
    }
    restedAt = now();
    return true;
  }

  private long nanosToRest(long now) {
    if (idlePauseNanos == NEVER || pausedUntil != NEVER) {
      return NEVER;
    }
    long since = users.get() > 0 ? now : Math.max(usedAt, restedAt);
    return since + idlePauseNanos - now;
  }

  /** How long no limit can pass, whatever happens except a shorter lease. */
  long nanosLeft() {
    long now = now();
    if (pausedUntil != NEVER) {
      return Math.min(sessionAt, pausedUntil) - now;
    }
    long idleAt = idleNanos == NEVER ? NEVER : (users.get() > 0 ? now : usedAt) + idleNanos;
    long end = Math.min(Math.min(sessionAt, leaseAt), idleAt) - now;
    return Math.min(end, nanosToRest(now));
  }

  private long now() {
    return nanoClock.getAsLong() - begunNanos;
  }

  private static long left(Timestamp until, long wallMillis) {
    return TimeUnit.MILLISECONDS.toNanos(Times.millis(until) - wallMillis);
  }
}
