// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import dev.sandgate.cli.load.LoadReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects what a measurement finds, and judges it. Not thread-safe. */
public final class Findings {

  private final String scenario;
  private final Map<String, Double> ratios = new LinkedHashMap<>();
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final Machine before = Machine.now();
  private boolean ok = true;

  /** Begins with nothing found; the machine's load is noted now. */
  public Findings(String scenario) {
    this.scenario = scenario;
  }

  /** Keeps the median of the rounds' ratios, and their spread as a note. */
  public void ratio(String name, Samples rounds) {
    ratios.put(name, rounded(rounds.median()));
    notes.add(
        String.format(
            Locale.ROOT,
            "%s: %.3f, rounds from %.3f to %.3f",
            name,
            rounds.median(),
            rounds.least(),
            rounds.most()));
  }

  /** Keeps a ratio that was measured once. */
  public void ratio(String name, double once) {
    ratios.put(name, rounded(once));
  }

  /** Keeps a figure; its name ends in its unit. */
  public void figure(String name, double value) {
    figures.put(name, rounded(value));
  }

  /** Keeps median and count, and the 99th percentile where there are values enough. */
  public void latency(String name, Samples micros) {
    figure(name + "_p50_micros", micros.median());
    if (micros.count() >= Samples.LEAST_FOR_P99) {
      figure(name + "_p99_micros", micros.percentile(0.99));
    }
    figure(name + "_samples", micros.count());
  }

  /** Tells the reader something. */
  public void note(String note) {
    notes.add(note);
  }

  /** Fails the report unless a ratio was measured and is at most so much. */
  public void must(String ratio, double most) {
    Double found = ratios.get(ratio);
    String seen = found == null ? "not run" : found <= most ? "held" : "MISSED";
    ok &= found != null && found <= most;
    notes.add("must " + ratio + " <= " + most + ": " + seen);
  }

  /** Fails the report unless a ratio whose name ends in `_gain` was measured and is at least so much. */
  public void mustGain(String ratio, double least) {
    Double found = ratios.get(ratio);
    String seen = found == null ? "not run" : found >= least ? "held" : "MISSED";
    ok &= found != null && found >= least;
    notes.add("must " + ratio + " >= " + least + ": " + seen);
  }

  /** Fails the report unless something is so. */
  public void must(String what, boolean holds) {
    ok &= holds;
    notes.add("must " + what + ": " + (holds ? "held" : "MISSED"));
  }

  /** The report; the machine's load is noted again. */
  public LoadReport report() {
    return new LoadReport(scenario, ok, ratios, figures, before.until(Machine.now()), notes);
  }

  private static double rounded(double value) {
    double scale = Math.abs(value) >= 100 ? 10 : 10_000;
    return Math.round(value * scale) / scale;
  }
}
