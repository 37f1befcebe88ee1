// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.seed;

import dev.sandgate.load.chaos.seed.Schedule.Step.Target;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Which fault comes when: the same for the same seed. Every kind comes once before one comes again, in any order. Not thread-safe.
 */
public final class Schedule {

  private static final int LEAST_PAUSE_MILLIS = 200;
  private static final int MOST_PAUSE_MILLIS = 2_000;
  private static final int LEAST_LENGTH_MILLIS = 300;
  private static final int MOST_LENGTH_MILLIS = 3_000;
  private static final int[] ODD_PIECES = {1, 3, 5, 7, 11, 13, 101, 1_023};

  private final Random random;
  private final List<Fault> kinds;
  private final Deque<Fault> bag = new ArrayDeque<>();

  public Schedule(long seed, List<Fault> kinds) {
    this.random = new Random(seed);
    this.kinds = List.copyOf(kinds);
  }

  /**
   * One fault.
   *
   * @param pause before it
   * @param fault what
   * @param target whose connections
   * @param every strikes each so many'th connection; 1 for all
   * @param length for how long, where it is not for ever
   * @param amount bytes after which to cut, or of a piece, or a second
   */
  public record Step(
      Duration pause, Fault fault, Target target, int every, Duration length, int amount) {

    /** Whose connections. */
    public enum Target {
      CLIENTS,
      NODE
    }

    @Override
    public String toString() {
      String where = fault.strikesConnections() ? " " + target + " 1/" + every : "";
      return "%s%s, %d ms, %d".formatted(fault.word(), where, length.toMillis(), amount);
    }
  }

  /** The next one; there is always one. */
  public Step next() {
    if (bag.isEmpty()) {
      List<Fault> all = new ArrayList<>(kinds);
      Collections.shuffle(all, random);
      bag.addAll(all);
    }
    Fault fault = bag.remove();
    Duration pause = millis(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS);
    Target target = random.nextBoolean() ? Target.CLIENTS : Target.NODE;
    int every = 1 + random.nextInt(2);
    Duration length = millis(LEAST_LENGTH_MILLIS, MOST_LENGTH_MILLIS);
    return new Step(pause, fault, target, every, length, amount(fault));
  }

  private Duration millis(int least, int most) {
    return Duration.ofMillis(least + random.nextInt(most - least));
  }

  private int amount(Fault fault) {
    int any = random.nextInt(1 << 16);
    return switch (fault) {
      case CUT_INSIDE -> 1 + any % 5_000;
      case DELAY -> 20 + any % 200;
      case THROTTLE -> 4_096 + any;
      case PIECES -> ODD_PIECES[any % ODD_PIECES.length];
      default -> any;
    };
  }
}
