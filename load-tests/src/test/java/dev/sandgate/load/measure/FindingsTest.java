// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.load.LoadReport;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class FindingsTest {

  private final Findings findings = new Findings("test");

  @Test
  void shouldBeOkWhenEveryMustHolds() {
    findings.ratio("cost", Samples.of(0.5, 0.7, 0.6));
    findings.ratio("rate_gain", Samples.of(3));
    findings.must("cost", 0.6);
    findings.mustGain("rate_gain", 3);
    findings.must("nothing is left", true);
    LoadReport report = findings.report();
    assertTrue(report.ok());
    assertEquals(0.6, report.ratios().get("cost"));
  }

  @Test
  void shouldNotBeOkWhenARatioIsTooHigh() {
    findings.ratio("cost", Samples.of(0.61));
    findings.must("cost", 0.6);
    assertFalse(findings.report().ok());
  }

  @Test
  void shouldNotBeOkWhenAGainIsTooLow() {
    findings.ratio("rate_gain", Samples.of(2.9));
    findings.mustGain("rate_gain", 3);
    assertFalse(findings.report().ok());
  }

  @Test
  void shouldNotBeOkWhenThePeerWasNotRun() {
    findings.must("cost", 0.6);
    LoadReport report = findings.report();
    assertFalse(report.ok());
    assertTrue(report.notes().contains("must cost <= 0.6: not run"));
  }

  @Test
  void shouldNotBeOkWhenSomethingIsNotSo() {
    findings.must("nothing is left", false);
    assertFalse(findings.report().ok());
  }

  @Test
  void shouldSpeakOfTheSlowestHundredthOnlyWithValuesEnough() {
    findings.latency("few", Samples.of(DoubleStream.generate(() -> 1).limit(9_999).toArray()));
    findings.latency("many", Samples.of(DoubleStream.generate(() -> 1).limit(10_000).toArray()));
    LoadReport report = findings.report();
    assertFalse(report.figures().containsKey("few_p99_micros"));
    assertEquals(1, report.figures().get("many_p99_micros"));
  }

  @Test
  void shouldSayWhereItWasMeasured() {
    assertEquals(
        Integer.toString(Runtime.getRuntime().availableProcessors()),
        findings.report().machine().get("cpus"));
  }
}
