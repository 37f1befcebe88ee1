// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.host.HostState;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.tool.Tools;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Many idle sandboxes alive at once: all answer, what each takes, what a command then costs, and nothing left behind. */
public final class Density implements LoadScenario {

  private static final int SANDBOXES = 1_000;
  private static final int FEW = 10;
  private static final int EXECS = 10_000;
  private static final int EXECS_PER_SANDBOX = 10;

  @Override
  public String name() {
    return "density";
  }

  @Override
  public String goal() {
    return "many live idle sandboxes, each in its cgroups: memory at most 1.0x bwrap, all answer";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    try (Platform platform = Platform.start()) {
      Peers peers = platform.peers(tools);
      MemoryPerSandbox.compare(arguments, platform, peers, findings);
      crowd(arguments, platform, findings);
    }
    return findings.report();
  }

  private static void crowd(LoadArguments arguments, Platform platform, Findings findings)
      throws Exception {
    int count = Math.max(FEW + 1, arguments.count().orElse(SANDBOXES));
    int execs = Math.clamp((long) count * EXECS_PER_SANDBOX, 1, EXECS);
    HostState before = HostState.of(platform.scratch());
    List<SandboxHandle> few = platform.createBatch(FEW).sandboxes();
    Samples quiet = execs(few, execs, "10 sandboxes", arguments);
    Platform.Made made = fill(platform, count - FEW, findings);
    List<SandboxHandle> all = Stream.concat(few.stream(), made.sandboxes().stream()).toList();
    findings.must("all " + count + " sandboxes live", all.size() == count);
    List<String> silent = platform.silent(all);
    silent.stream().limit(3).forEach(findings::note);
    findings.must("all answer a command", silent.isEmpty());
    Samples crowded = execs(all, execs, count + " sandboxes", arguments);
    platform.delete(made.sandboxes());
    Samples after = execs(few, execs, "10 sandboxes again", arguments);
    platform.delete(few);
    report(List.of(quiet, crowded, after), findings);
    List<String> left = HostState.left(before, platform.scratch());
    left.forEach(findings::note);
    findings.must("nothing is left on the host", left.isEmpty());
  }

  private static Platform.Made fill(Platform platform, int count, Findings findings) {
    Timing timing = new Timing();
    timing.start();
    Platform.Made made = platform.createBatch(count);
    timing.stop();
    made.failures().stream().distinct().limit(3).forEach(findings::note);
    findings.figure("sandboxes", count + FEW);
    findings.figure("created_per_second", count * 1e6 / timing.samples().mean());
    return made;
  }

  private static Samples execs(
      List<SandboxHandle> sandboxes, int count, String where, LoadArguments arguments)
      throws Exception {
    arguments.progress().accept(count + " commands in " + where);
    Iterator<SandboxHandle> next =
        Stream.generate(() -> sandboxes).flatMap(List::stream).iterator();
    return Timing.each(count, () -> Commands.run(next.next()));
  }

  private static void report(List<Samples> phases, Findings findings) {
    Samples quiet = Samples.merge(List.of(phases.getFirst(), phases.getLast()));
    Samples crowded = phases.get(1);
    findings.latency("exec_at_10", quiet);
    findings.latency("exec_at_all", crowded);
    findings.ratio("exec_p50_at_all_vs_at_10", crowded.median() / quiet.median());
    if (crowded.count() >= Samples.LEAST_FOR_P99) {
      findings.ratio("exec_p99_at_all_vs_at_10", crowded.percentile(0.99) / quiet.percentile(0.99));
    }
  }
}
