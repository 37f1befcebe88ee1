// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a pool complains that it is too small. */
final class HitRateTest {

  private final HitRate rate = new HitRate();

  /** Seconds in which so many find one and so many do not; the seconds in which it complains. */
  private List<Integer> seconds(int count, int hits, int misses) {
    List<Integer> complaints = new ArrayList<>();
    for (int second = 1; second <= count; second++) {
      for (int i = 0; i < hits; i++) {
        rate.hit();
      }
      for (int i = 0; i < misses; i++) {
        rate.miss();
      }
      Optional<Double> low = rate.second();
      if (low.isPresent()) {
        complaints.add(second);
      }
    }
    return complaints;
  }

  @Test
  void shouldComplainWhenLessThanNineOfTenFindOneForAMinute() {
    assertEquals(List.of(60), seconds(60, 8, 2));
    assertEquals(0.8, rate.rate());
  }

  @Test
  void shouldNotComplainAgainAndAgain() {
    assertEquals(List.of(60, 360), seconds(600, 8, 2));
  }

  @Test
  void shouldNotComplainOfABurstThatPasses() {
    assertEquals(List.of(), seconds(10, 1, 9));
    assertEquals(List.of(), seconds(49, 1000, 0));
    assertEquals(List.of(), seconds(60, 10, 1));
  }

  @Test
  void shouldSayNothingOfAFewRequests() {
    assertEquals(List.of(), seconds(29, 0, 1));
    assertEquals(List.of(), seconds(100, 0, 0));
    assertEquals(1, rate.rate());
  }
}
