// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import dev.sandgate.load.measure.Findings;
import java.util.Comparator;
import java.util.List;

/**
 * How many sessions a node bears by the formula of the least: memory over what one takes, CPU over what one uses, and
 * makings a second times how long one lives.
 */
final class Capacity {

  /** A bound, and what it came from. */
  private record Bound(String resource, double sessions) {}

  private Capacity() {}

  /** Reports it for inputs that a step measured; before it the machine held no session. */
  static void report(
      HostUse before, long memoryReserve, Step step, double makeable, Findings findings) {
    double bytes =
        Math.max(1, (double) (before.memoryAvailable() - step.memoryAvailable()) / step.sessions());
    double cpus = Runtime.getRuntime().availableProcessors();
    double cpuOfOne = step.cpuSeconds() / step.seconds() / step.sessions();
    double life =
        step.sessions() * step.seconds() / Math.max(1, step.seen().creates().getTotalCount());
    List<Bound> bounds =
        List.of(
            new Bound("memory", (before.memoryAvailable() - memoryReserve) / bytes),
            new Bound("cpu", cpus / cpuOfOne),
            new Bound("creates", makeable * life));
    findings.figure("memory_of_a_session_bytes", bytes);
    findings.figure("cpu_of_a_session_share", cpuOfOne);
    findings.figure("life_of_a_session_seconds", life);
    findings.figure("creates_per_second", makeable);
    bounds.forEach(bound -> findings.figure("sessions_by_" + bound.resource(), bound.sessions()));
    Bound least = bounds.stream().min(Comparator.comparingDouble(Bound::sessions)).orElseThrow();
    findings.figure("sessions_by_formula", least.sessions());
    findings.note(
        "formula: min(memory available - reserve / bytes of a session, CPUs / CPU share of a session, creates a second x life of a session), inputs measured at %d sessions; the least is %s"
            .formatted(step.sessions(), least.resource()));
  }
}
