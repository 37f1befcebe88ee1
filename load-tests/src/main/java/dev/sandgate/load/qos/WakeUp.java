// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.load.tool.Tools;
import dev.sandgate.proto.v1.QosClass;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Many paused best-effort sandboxes, each with work to do, resumed at once beside a latency-sensitive task: what that notices, beside
 * what it notices while they stand still.
 */
public final class WakeUp implements LoadScenario {

  private static final int SANDBOXES = 300;
  private static final int AT_ONCE = 300;
  private static final int LOAD_PERCENT = 10;
  private static final Duration USUAL = Duration.ofSeconds(4);
  private static final Duration BEFORE = Duration.ofMillis(500);
  private static final double SECOND = 1;

  /** The common pool has one thread here, which must not be kept waiting: what comes of the client's calls runs there. */
  private static final Executor OWN_THREAD = task -> Thread.ofPlatform().start(task);

  /** Found by the command. */
  public WakeUp() {}

  @Override
  public String name() {
    return "wake-up";
  }

  @Override
  public String goal() {
    return "300 paused sandboxes resumed in a second beside a latency-sensitive task: its p99 at most 1.2x quiet";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    Tools tools = new Tools(arguments.directory());
    int count = arguments.count().orElse(SANDBOXES);
    Duration duration = arguments.duration().orElse(USUAL);
    try (Platform platform = Platform.start()) {
      SandboxHandle sensitive =
          Bench.create(platform, QosClass.QOS_CLASS_LATENCY_SENSITIVE, 1).getFirst();
      Probe probe = Probe.in(sensitive, tools.wakeup());
      Platform.Made sleepers = platform.createBatch(count);
      List<String> failures = new ArrayList<>(sleepers.failures());
      Paused paused = new Paused(platform, sleepers.sandboxes());
      paused.begin();
      Comparison comparison =
          Comparison.alternate(
              new Comparison.Plan(1, arguments.rounds()),
              List.of(
                  Subject.of("quiet", () -> probe.run(duration, LOAD_PERCENT).wake()),
                  () -> round(probe, paused, duration)),
              arguments.progress());
      paused.resume();
      report(comparison, findings);
      failures.addAll(platform.silent(sleepers.sandboxes(), count));
      failures.stream().limit(3).forEach(findings::note);
      findings.must("all " + count + " answer afterwards", failures.isEmpty());
    }
    findings.must("wake_p99_vs_quiet", 1.2);
    return findings.report();
  }

  /** Sandboxes that are paused and resumed together. */
  private record Paused(Platform platform, List<SandboxHandle> sandboxes) {

    /** Gives each something to do and pauses it at once, so that few of them ever work. */
    void begin() {
      for (SandboxHandle one : sandboxes) {
        Platform.await(one.execs().start(Crowd.SPIN));
        Platform.await(platform.client().sandboxes().pause(one.id()));
      }
    }

    void pause() {
      each(one -> platform.client().sandboxes().pause(one.id()));
    }

    void resume() {
      each(one -> platform.client().sandboxes().resume(one.id()));
    }

    private void each(Function<SandboxHandle, Uni<?>> asked) {
      Platform.await(
          Multi.createFrom()
              .iterable(sandboxes)
              .onItem()
              .transformToUni(asked::apply)
              .merge(AT_ONCE)
              .collect()
              .last());
    }
  }

  private static Map<String, Samples> round(Probe probe, Paused paused, Duration duration)
      throws Exception {
    CompletableFuture<Samples> seconds =
        CompletableFuture.supplyAsync(
            () -> {
              LockSupport.parkNanos(BEFORE.toNanos());
              long begun = System.nanoTime();
              paused.resume();
              return Samples.of((System.nanoTime() - begun) / 1e9);
            },
            OWN_THREAD);
    Samples wake = probe.run(duration, LOAD_PERCENT).wake();
    Samples took = seconds.get();
    paused.pause();
    return Map.of("waking", wake, "seconds", took);
  }

  private static void report(Comparison comparison, Findings findings) {
    findings.ratio(
        "wake_p99_vs_quiet", comparison.ratios("waking", "quiet", one -> one.percentile(0.99)));
    findings.latency("quiet", comparison.all("quiet"));
    findings.latency("waking", comparison.all("waking"));
    Samples seconds = comparison.all("seconds");
    findings.figure("all_awake_seconds", seconds.median());
    findings.must("all are awake within a second", seconds.most() <= SECOND);
  }
}
