// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.load;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a measurement found.
 *
 * @param scenario which
 * @param ok whether every must held
 * @param ratios ours ÷ theirs, lower is better unless the name ends in {@code _gain}
 * @param figures absolute values, the unit in the name
 * @param machine where it was measured
 * @param notes what was not run, and what else a reader must know
 */
public record LoadReport(
    String scenario,
    boolean ok,
    Map<String, Double> ratios,
    Map<String, Double> figures,
    Map<String, String> machine,
    List<String> notes) {

  /** Freezes, keeping the order. */
  public LoadReport {
    ratios = Collections.unmodifiableMap(new LinkedHashMap<>(ratios));
    figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
    machine = Collections.unmodifiableMap(new LinkedHashMap<>(machine));
    notes = List.copyOf(notes);
  }
}
