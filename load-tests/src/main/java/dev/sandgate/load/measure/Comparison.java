// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** Subjects measured in turn, round after round, so that a slow minute of the machine hits all of them. */
public final class Comparison {

  private final Map<String, List<Samples>> rounds = new LinkedHashMap<>();

  private Comparison() {}

  /**
   * How often.
   *
   * @param warmup rounds that are thrown away
   * @param measured rounds that count
   */
  public record Plan(int warmup, int measured) {}

  /** Measures A-B-A-B. */
  public static Comparison alternate(Plan plan, List<Subject> subjects, Consumer<String> progress)
      throws Exception {
    Comparison comparison = new Comparison();
    for (int i = -plan.warmup(); i < plan.measured(); i++) {
      int round = i;
      boolean counts = i >= 0;
      for (Subject subject : subjects) {
        Map<String, Samples> values = subject.round();
        values.forEach((name, samples) -> progress.accept(line(round, plan, name, samples)));
        if (counts) {
          values.forEach(comparison::add);
        }
      }
    }
    return comparison;
  }

  private static String line(int round, Plan plan, String name, Samples samples) {
    String which = round < 0 ? "warm-up" : "round %d/%d".formatted(round + 1, plan.measured());
    return "%s %s: median %.3f".formatted(which, name, samples.median());
  }

  void add(String subject, Samples samples) {
    rounds.computeIfAbsent(subject, name -> new ArrayList<>()).add(samples);
  }

  /** Whether it was measured. */
  public boolean has(String subject) {
    return rounds.containsKey(subject);
  }

  /** All rounds of one subject put together. */
  public Samples all(String subject) {
    return Samples.merge(of(subject));
  }

  /** The ratio of every round, ours ÷ theirs, of one statistic of the round's values. */
  public Samples ratios(String ours, String theirs, ToDoubleFunction<Samples> statistic) {
    List<Samples> our = of(ours);
    List<Samples> their = of(theirs);
    double[] ratios = new double[our.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = statistic.applyAsDouble(our.get(i)) / statistic.applyAsDouble(their.get(i));
    }
    return Samples.of(ratios);
  }

  private List<Samples> of(String subject) {
    List<Samples> found = rounds.get(subject);
    if (found == null) {
      throw new IllegalArgumentException(subject + " was not measured");
    }
    return found;
  }
}
