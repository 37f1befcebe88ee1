// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.proto.v1.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Adds sessions until one in a hundred operations fails: where the knee is, and what there was too little of. */
public final class Ramp implements LoadScenario {

  private static final int FIRST = 20;
  private static final int MOST = 4_000;
  private static final double GROWTH = 1.4;
  private static final double ADVISED = 0.7;
  private static final Duration USUAL = Duration.ofSeconds(10);
  private static final Duration SETTLING = Duration.ofSeconds(3);

  /** Found by the command. */
  public Ramp() {}

  @Override
  public String name() {
    return "ramp";
  }

  @Override
  public String goal() {
    return "sessions added until 1 % of operations fail: the knee, what ran out, and 0.7x of it as advice";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    int most = arguments.count().orElse(MOST);
    try (Platform platform = Platform.start()) {
      double makeable = makeable(platform, Math.min(most, 100));
      Admission admission = admission(platform);
      HostUse before = HostUse.now();
      List<Step> steps = climb(platform, most, arguments);
      Step knee = report(steps, most, findings);
      Capacity.report(before, admission.getMemoryReserveBytes(), knee, makeable, findings);
    }
    return findings.report();
  }

  private static double makeable(Platform platform, int count) {
    platform.delete(platform.createBatch(count).sandboxes());
    long begun = System.nanoTime();
    Platform.Made made = platform.createBatch(count);
    double seconds = (System.nanoTime() - begun) / 1e9;
    platform.delete(made.sandboxes());
    return made.sandboxes().size() / seconds;
  }

  private static List<Step> climb(Platform platform, int most, LoadArguments arguments) {
    List<Step> steps = new ArrayList<>();
    Tally tally = new Tally();
    try (Population population = new Population(platform, tally)) {
      for (int count = Math.min(FIRST, most);
          ;
          count = Math.min(most, (int) Math.ceil(count * GROWTH))) {
        population.growTo(count);
        steps.add(step(platform, tally, count, arguments.duration().orElse(USUAL)));
        arguments.progress().accept(steps.getLast().toString());
        if (steps.getLast().failed() || count == most) {
          return steps;
        }
      }
    }
  }

  private static Step step(Platform platform, Tally tally, int sessions, Duration duration) {
    LockSupport.parkNanos(SETTLING.toNanos());
    HostUse before = HostUse.now();
    tally.look();
    long begun = System.nanoTime();
    LockSupport.parkNanos(duration.toNanos());
    Tally.Seen seen = tally.look();
    double seconds = (System.nanoTime() - begun) / 1e9;
    HostUse after = HostUse.now();
    return new Step(
        sessions,
        seconds,
        seen,
        after.cpuShareSince(before),
        after.cpuSecondsSince(before),
        after.memoryAvailable(),
        admission(platform).getRefusing());
  }

  private static Admission admission(Platform platform) {
    return Platform.await(platform.client().nodes()).getFirst().getAdmission();
  }

  /** The knee: the step without failures that did most. */
  private static Step report(List<Step> steps, int most, Findings findings) {
    steps.forEach(step -> findings.note(step.toString()));
    Step last = steps.getLast();
    Step knee =
        steps.stream()
            .filter(step -> !step.failed())
            .max(Comparator.comparingDouble(Step::perSecond))
            .orElse(last);
    findings.figure("knee_sessions", knee.sessions());
    findings.figure("knee_operations_per_second", knee.perSecond());
    findings.figure("advised_sessions", Math.floor(ADVISED * knee.sessions()));
    findings.note(
        last.failed()
            ? "at %d sessions too much failed; short of %s"
                .formatted(last.sessions(), last.shortOf())
            : "%d sessions were not too many; raise --count".formatted(most));
    findings.must(
        "at least %d sessions without failures".formatted(steps.getFirst().sessions()),
        !steps.getFirst().failed());
    return knee;
  }
}
