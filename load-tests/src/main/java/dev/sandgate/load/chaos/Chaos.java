// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.Sandgate;
import dev.sandgate.load.chaos.check.Account;
import dev.sandgate.load.chaos.check.Checker;
import dev.sandgate.load.chaos.seed.Fault;
import dev.sandgate.load.chaos.seed.Schedule;
import dev.sandgate.load.host.HostState;
import dev.sandgate.load.measure.Findings;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Commands in sandboxes while connections are cut, swallowed, delayed and torn into pieces, and gateway, node and agents are
 * killed. Afterwards what every command did is compared with what its caller was told.
 */
public final class Chaos implements LoadScenario {

  private static final Duration USUAL = Duration.ofSeconds(60);
  private static final int MOST_FAULTS = 10_000;
  private static final int BOXES = 4;
  private static final int CALLERS = 12;
  private static final int SEEDS = 1_000_000;
  private static final int SHOWN = 5;
  private static final double MOST_RECOVERY_SECONDS = 45;
  private static final List<Duration> RECONNECTS =
      List.of(Duration.ofMinutes(2), Duration.ofSeconds(4), Duration.ZERO);

  @Override
  public String name() {
    return "chaos";
  }

  @Override
  public String goal() {
    return "commands while connections and processes break: none runs twice, none is lost untold, no byte is wrong";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    long seed = arguments.seed().orElseGet(() -> ThreadLocalRandom.current().nextLong(SEEDS));
    arguments.progress().accept("seed " + seed + ": give it as --seed for the same faults");
    Findings findings = new Findings(name());
    findings.note("seed " + seed);
    try (Site site = Site.start()) {
      new Run(site, findings, arguments, seed).all();
    }
    return findings.report();
  }

  /** One run at a site. */
  private static final class Run {
    private final Site site;
    private final Findings findings;
    private final LoadArguments arguments;
    private final long seed;
    private final Timeline timeline = new Timeline();
    private final Tally tally = new Tally();
    private final HostState before;

    Run(Site site, Findings findings, LoadArguments arguments, long seed) throws IOException {
      this.site = site;
      this.findings = findings;
      this.arguments = arguments;
      this.seed = seed;
      this.before = HostState.of(site.scratch()).withoutDescriptors();
    }

    void all() throws Exception {
      List<Sandgate> clients = List.of(client(0), client(1), client(2));
      Boxes boxes = new Boxes(clients.getFirst(), tally);
      for (int i = 0; i < BOXES; i++) {
        boxes.make();
      }
      List<Account> accounts;
      try (Workload workload = new Workload(clients, boxes, timeline, tally, seed)) {
        long until = System.nanoTime() + arguments.duration().orElse(USUAL).toNanos();
        workload.begin(CALLERS, until + Site.PATIENCE.toNanos());
        breakThings(boxes, workload, until);
        accounts = workload.finish();
      }
      judge(boxes, accounts);
    }

    private Sandgate client(int number) throws IOException {
      return site.client(RECONNECTS.get(number));
    }

    private void breakThings(Boxes boxes, Workload workload, long until) throws Exception {
      Nemesis nemesis = new Nemesis(site, boxes, timeline, tally, seed);
      Schedule schedule = new Schedule(seed, List.of(Fault.values()));
      int most = arguments.count().orElse(MOST_FAULTS);
      for (int number = 1; number <= most && System.nanoTime() < until; number++) {
        Schedule.Step step = schedule.next();
        Nemesis.pause(step);
        arguments
            .progress()
            .accept("%d: %s; %d commands so far".formatted(number, step, workload.begun()));
        nemesis.strike(step);
        tally.add("faults");
        while (boxes.living() < BOXES) {
          boxes.make();
        }
      }
      nemesis.heal();
    }

    private void judge(Boxes boxes, List<Account> accounts) throws Exception {
      try (Sandgate direct = site.direct()) {
        Audit audit = new Audit(direct, boxes, timeline, tally);
        List<Account> complete = audit.readAgain(accounts);
        new Checker(complete, audit.boxes()).verdicts().forEach(this::must);
        must("every create made one sandbox", audit.strays());
        audit.removeAll();
      }
      must("nothing is left on the host", HostState.left(before, site.scratch()));
      figures();
    }

    private void figures() {
      tally.add("client_connections", site.beforeGateway().accepted());
      tally.report(findings);
      findings.figure("longest_recovery_seconds", timeline.longestRecoverySeconds());
      findings.figure("longest_silence_seconds", timeline.longestSilenceSeconds());
      findings.must(
          "every stream came back within 45 s after the last fault",
          timeline.longestRecoverySeconds() <= MOST_RECOVERY_SECONDS);
      findings.must(
          "faults came and commands ran", tally.of("faults") > 0 && tally.of("read_again") > 0);
    }

    private void must(Checker.Verdict verdict) {
      must(verdict.promise(), verdict.violations());
    }

    private void must(String promise, Collection<String> violations) {
      violations.stream().limit(SHOWN).forEach(findings::note);
      if (violations.size() > SHOWN) {
        findings.note("… " + violations.size() + " in all");
      }
      findings.must(promise, violations.isEmpty());
    }
  }
}
