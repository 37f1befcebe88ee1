// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.tck.Eventually;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When sandboxes are measured: on a clock that the test moves. */
class SamplerTest {

  private static final long TICK = 100;

  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final Map<Integer, Integer> measured = new ConcurrentHashMap<>();
  private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
  private final AtomicInteger readings = new AtomicInteger();
  private final AtomicInteger records = new AtomicInteger();
  private final Sampler<Integer> sampler = new Sampler<>(new Counting(), 10_000, clock::get);

  private final class Counting implements Sampler.Work<Integer> {

    @Override
    public boolean lives(Integer one) {
      return !ended.contains(one);
    }

    @Override
    public long since(Integer one) {
      return 1_000_000;
    }

    @Override
    public void measure(Integer one) {
      measured.merge(one, 1, Integer::sum);
      readings.incrementAndGet();
    }

    @Override
    public void record(List<Integer> some) {
      records.addAndGet(some.size());
    }
  }

  /** Gives the most readings that one tick took. */
  private int pass(long millis) {
    int most = 0;
    for (long passed = 0; passed < millis; passed += TICK) {
      clock.addAndGet(TICK);
      int before = readings.get();
      sampler.tick();
      Eventually.holds("the tick is over", sampler::resting);
      most = Math.max(most, readings.get() - before);
    }
    return most;
  }

  @Test
  void shouldMeasureOftenWhileYoungAndOncePerPeriodLater() {
    sampler.add(1);
    pass(5_000);
    assertTrue(readings.get() >= 4, measured::toString);
    pass(25_000);
    int before = readings.get();
    pass(50_000);
    assertEquals(5, readings.get() - before);
  }

  @Test
  void shouldSpreadThreeThousandThatBeganTogether() {
    for (int i = 0; i < 3_000; i++) {
      sampler.add(i);
    }
    assertTrue(pass(60_000) <= 50, "a burst");
    int before = readings.get();
    assertTrue(pass(20_000) <= 50, "a burst");
    int passes = readings.get() - before;
    assertTrue(passes >= 5_700 && passes <= 6_300, passes + " readings in two periods");
    assertEquals(3_000, measured.size(), "nobody is left out");
  }

  @Test
  void shouldGrowThePeriodRatherThanTheShareWhenThereAreMore() {
    for (int i = 0; i < 12_000; i++) {
      sampler.add(i);
    }
    assertTrue(pass(60_000) <= 50, "a burst");
    int least = measured.values().stream().min(Integer::compare).orElseThrow();
    assertEquals(12_000, measured.size());
    assertTrue(least >= 2, least + " readings in a minute");
  }

  @Test
  void shouldForgetWhatEndedAndRecordWhatLives() {
    sampler.add(1);
    sampler.add(2);
    ended.add(2);
    pass(130_000);
    assertEquals(Set.of(1), measured.keySet());
    assertEquals(3, records.get(), "once a minute");
  }
}
