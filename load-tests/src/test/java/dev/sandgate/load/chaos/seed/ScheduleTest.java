// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.seed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A seed says what happens; everything happens. */
class ScheduleTest {

  private static List<Schedule.Step> steps(long seed) {
    Schedule schedule = new Schedule(seed, List.of(Fault.values()));
    return Stream.generate(schedule::next).limit(Fault.values().length * 2L).toList();
  }

  @Test
  void shouldBeTheSameForTheSameSeed() {
    assertEquals(steps(7), steps(7));
    assertNotEquals(steps(7), steps(8));
  }

  @Test
  void shouldComeToEveryKindBeforeAnyComesAgain() {
    Set<Fault> first =
        steps(7).stream()
            .limit(Fault.values().length)
            .map(Schedule.Step::fault)
            .collect(Collectors.toSet());
    assertEquals(EnumSet.allOf(Fault.class), first);
  }
}
