// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  private final List<String> order = new ArrayList<>();

  @Test
  void shouldMeasureInTurnAndDropTheWarmUp() throws Exception {
    Comparison comparison = compare(1, List.of(100.0, 1.0, 2.0), List.of(100.0, 4.0, 4.0));
    assertEquals(List.of("ours", "theirs", "ours", "theirs", "ours", "theirs"), order);
    assertEquals(2, comparison.all("ours").count());
    assertEquals(2, comparison.all("ours").most());
  }

  @Test
  void shouldDivideRoundByRoundBeforeTakingTheMedian() throws Exception {
    // A slow second round of the machine hits both sides and cancels out.
    Comparison comparison = compare(0, List.of(1.0, 50.0, 2.0), List.of(2.0, 100.0, 2.0));
    assertEquals(0.5, comparison.ratios("ours", "theirs", Samples::median).median());
  }

  @Test
  void shouldKnowWhatWasMeasured() throws Exception {
    Comparison comparison = compare(0, List.of(1.0), List.of(1.0));
    assertTrue(comparison.has("ours"));
    assertFalse(comparison.has("nobody"));
    assertThrows(IllegalArgumentException.class, () -> comparison.all("nobody"));
  }

  @Test
  void shouldFailWhenOneSideFails() {
    Subject broken =
        Subject.of(
            "broken",
            () -> {
              throw new IllegalStateException("ended early");
            });
    Comparison.Plan plan = new Comparison.Plan(0, 1);
    assertThrows(
        IllegalStateException.class, () -> Comparison.alternate(plan, List.of(broken), line -> {}));
  }

  private Comparison compare(int warmup, List<Double> ours, List<Double> theirs) throws Exception {
    Comparison.Plan plan = new Comparison.Plan(warmup, ours.size() - warmup);
    List<Subject> subjects = List.of(subject("ours", ours), subject("theirs", theirs));
    return Comparison.alternate(plan, subjects, line -> {});
  }

  private Subject subject(String name, List<Double> values) {
    Iterator<Double> next = values.iterator();
    return Subject.of(
        name,
        () -> {
          order.add(name);
          return Samples.of(next.next());
        });
  }
}
