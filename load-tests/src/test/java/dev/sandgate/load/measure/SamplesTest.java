// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {

  @Test
  void shouldTakeTheMiddleOfAnOddNumberWhateverTheOrder() {
    assertEquals(3, Samples.of(9, 1, 3).median());
  }

  @Test
  void shouldTakeTheMeanOfTheTwoInTheMiddleOfAnEvenNumber() {
    assertEquals(2.5, Samples.of(4, 1, 3, 2).median());
  }

  @Test
  void shouldFindPercentilesByRank() {
    Samples hundred = Samples.of(IntStream.rangeClosed(1, 100).asDoubleStream().toArray());
    assertEquals(99, hundred.percentile(0.99));
    assertEquals(50, hundred.percentile(0.5));
    assertEquals(100, hundred.percentile(1));
    assertEquals(1, hundred.percentile(0));
  }

  @Test
  void shouldKnowMeanAndEnds() {
    Samples samples = Samples.of(4, 1, 1);
    assertEquals(2, samples.mean());
    assertEquals(1, samples.least());
    assertEquals(4, samples.most());
  }

  @Test
  void shouldCountEveryValueOfMergedRounds() {
    Samples merged = Samples.merge(List.of(Samples.of(1, 9), Samples.of(5)));
    assertEquals(3, merged.count());
    assertEquals(5, merged.median());
  }

  @Test
  void shouldRefuseToSpeakOfNothing() {
    assertThrows(IllegalArgumentException.class, Samples::of);
  }

  @Test
  void shouldNotChangeWithTheArrayItWasMadeFrom() {
    double[] values = {1, 2, 3};
    Samples samples = Samples.of(values);
    values[1] = 100;
    assertEquals(2, samples.median());
  }
}
