// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.soak;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.load.host.HostState;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.sandbox.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Works for a long time with everything there is, and looks now and then, at rest, whether more is held than before. */
public final class Soak implements LoadScenario {

  private static final Duration USUAL = Duration.ofMinutes(30);
  private static final int WORKERS = 8;
  private static final int MORE_THREADS = 8;
  private static final double MORE_MEMORY = 1.25;
  private static final long MEMORY_NOISE = 16 << 20;

  /** Found by the command. */
  public Soak() {}

  @Override
  public String name() {
    return "soak";
  }

  @Override
  public String goal() {
    return "mixed work for 30 minutes: descriptors, threads, mounts, cgroups, memory no more than before";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    int looks = Math.max(2, arguments.rounds());
    long part = arguments.duration().orElse(USUAL).toNanos() / looks;
    int workers = arguments.count().orElse(WORKERS);
    try (Platform platform = Platform.start()) {
      Mix mix = new Mix(platform);
      List<Held> seen = new ArrayList<>();
      for (int i = 0; i < looks; i++) {
        work(mix, workers, System.nanoTime() + part);
        seen.add(Held.by(platform));
        arguments.progress().accept(mix.done() + " sandboxes so far; at rest: " + seen.getLast());
      }
      mix.failures().forEach((why, count) -> findings.note(count + " times: " + why));
      findings.must("nothing fails", mix.failures().isEmpty());
      findings.figure("sandboxes", (double) mix.done());
      judge(platform, seen, findings);
    }
    return findings.report();
  }

  private static void work(Mix mix, int workers, long until) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      threads.add(Thread.ofVirtual().start(() -> repeat(mix, until)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void repeat(Mix mix, long until) {
    do {
      mix.run();
    } while (System.nanoTime() < until);
  }

  /** The end beside the middle: before that caches fill, and what is kept of what ended. */
  private static void judge(Platform platform, List<Held> seen, Findings findings)
      throws Exception {
    seen.forEach(held -> findings.note("at rest: " + held));
    Held before = seen.get((seen.size() - 1) / 2);
    Held after = seen.getLast();
    List<String> left = HostState.left(before.host(), platform.scratch());
    left.forEach(findings::note);
    findings.must("nothing more is on the host", left.isEmpty());
    findings.must("no more threads", after.threads() <= before.threads() + MORE_THREADS);
    findings.must("no more layers", after.layers() <= before.layers());
    findings.must("no more heap", isFlat(before.heapBytes(), after.heapBytes()));
    findings.must(
        "no more memory of the spawner", isFlat(before.spawnerBytes(), after.spawnerBytes()));
    findings.figure("heap_before_bytes", (double) before.heapBytes());
    findings.figure("heap_after_bytes", (double) after.heapBytes());
  }

  private static boolean isFlat(long before, long after) {
    return after <= MORE_MEMORY * before + MEMORY_NOISE;
  }
}
