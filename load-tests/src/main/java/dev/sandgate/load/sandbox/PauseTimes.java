// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import dev.sandgate.cli.load.LoadScenario;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Comparison;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Latency;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The first command in a paused sandbox beside one in a sandbox that runs, without swap and with memory in compressed swap; how much
 * memory is given back; and many sandboxes that wake up at once.
 */
public final class PauseTimes implements LoadScenario {

  private static final int EACH_ROUND = 50;
  private static final int CROWD = 300;
  private static final int HOLDERS = 3;
  private static final int AT_ONCE = 64;
  private static final double PAUSE_MICROS = 1_000;
  private static final long HELD_BYTES = 60_000_000;
  private static final long TAKING_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Text of random bytes, which compresses by a quarter, in the memory of a shell that then waits. */
  private static final String HOLD =
      "x=$(head -c 48000000 /dev/urandom | base64); while :; do sleep 1000; done";

  private static final Map<String, String> SWAP = Map.of("node.swap", "zram:2147483648");

  /** Found by the command. */
  public PauseTimes() {}

  @Override
  public String name() {
    return "pause";
  }

  @Override
  public String goal() {
    return "pause at most 1 ms before memory is given away; the first command at most 2x a warm one";
  }

  @Override
  public LoadReport run(LoadArguments arguments) throws Exception {
    Findings findings = new Findings(name());
    try (Platform platform = Platform.start()) {
      firstCommands(platform, arguments, findings, "nothing_reclaimed");
      crowd(platform, arguments.count().orElse(CROWD), findings);
    }
    if (Files.exists(Path.of("/sys/class/zram-control"))) {
      try (Platform platform = Platform.start(SWAP)) {
        firstCommands(platform, arguments, findings, "reclaimed");
        givenBack(platform, findings);
      }
    } else {
      findings.note("with swap: not run, the kernel has no zram");
    }
    findings.must("first_command_reclaimed_vs_warm", 2);
    findings.must("first_command_nothing_reclaimed_vs_warm", 2);
    return findings.report();
  }

  private static void firstCommands(
      Platform platform, LoadArguments arguments, Findings findings, String how) throws Exception {
    int count = arguments.count().orElse(EACH_ROUND);
    SandboxHandle sandbox = platform.create();
    Comparison comparison =
        Comparison.alternate(
            new Comparison.Plan(1, arguments.rounds()),
            List.of(() -> round(platform, sandbox, count)),
            arguments.progress());
    platform.delete(List.of(sandbox));
    String name = "first_command_" + how;
    findings.ratio(name + "_vs_warm", comparison.ratios("first", "warm", Samples::median));
    findings.latency(name, comparison.all("first"));
    findings.latency("warm_command_" + how, comparison.all("warm"));
    double pause = median(platform, "pause");
    findings.figure("pause_" + how + "_p50_micros", pause);
    findings.must("pause of at most 1 ms, " + how, pause <= PAUSE_MICROS);
  }

  private static Map<String, Samples> round(Platform platform, SandboxHandle sandbox, int count) {
    Timing warm = new Timing();
    Timing first = new Timing();
    for (int i = 0; i < count; i++) {
      Commands.run(sandbox);
      warm.start();
      Commands.run(sandbox);
      warm.stop();
      pause(platform, sandbox);
      first.start();
      Commands.run(sandbox);
      first.stop();
    }
    return Map.of("warm", warm.samples(), "first", first.samples());
  }

  private static PauseSandboxResponse pause(Platform platform, SandboxHandle sandbox) {
    return Platform.await(platform.client().sandboxes().pause(sandbox.id()));
  }

  /** As the node itself measured it. */
  private static double median(Platform platform, String operation) {
    return Platform.await(platform.client().nodes()).getFirst().getLatenciesList().stream()
        .filter(latency -> latency.getOperation().equals(operation))
        .mapToDouble(Latency::getP50Micros)
        .findFirst()
        .orElseThrow();
  }

  private static void givenBack(Platform platform, Findings findings) throws Exception {
    List<Cancellable> commands = new ArrayList<>();
    List<SandboxHandle> holders = new ArrayList<>();
    double before = 0;
    double after = 0;
    for (int i = 0; i < HOLDERS; i++) {
      SandboxHandle holder = platform.createRoomy();
      holders.add(holder);
      commands.add(
          holder.execs().stream(Command.newBuilder().setShell(HOLD).build())
              .subscribe()
              .with(_ -> {}, _ -> {}));
      awaitHeld(platform, holder);
      PauseSandboxResponse paused = pause(platform, holder);
      before += paused.getMemoryBeforeBytes();
      after += paused.getMemoryAfterBytes();
    }
    findings.figure("held_bytes", before);
    findings.ratio("memory_given_back_gain", 1 - after / before);
    findings.mustGain("memory_given_back_gain", 0.8);
    commands.forEach(Cancellable::cancel);
    platform.delete(holders);
  }

  /** Until it has what it wants and takes no more. */
  private static void awaitHeld(Platform platform, SandboxHandle holder) throws TimeoutException {
    long begun = System.nanoTime();
    long last = -1;
    long now = memory(platform, holder);
    while (now < HELD_BYTES || now != last) {
      if (System.nanoTime() - begun > TAKING_NANOS) {
        throw new TimeoutException(holder.id() + " has taken " + now + " bytes");
      }
      LockSupport.parkNanos(POLL_NANOS);
      last = now;
      now = memory(platform, holder);
    }
  }

  private static long memory(Platform platform, SandboxHandle holder) {
    return Platform.await(platform.client().sandboxes().get(holder.id()))
        .getUsage()
        .getMemoryBytes();
  }

  private static void crowd(Platform platform, int count, Findings findings) {
    Platform.Made made = platform.createBatch(count);
    Platform.await(each(made.sandboxes(), one -> platform.client().sandboxes().pause(one.id())));
    long begun = System.nanoTime();
    Platform.await(each(made.sandboxes(), one -> platform.client().sandboxes().resume(one.id())));
    findings.figure("wake_up_of_" + count + "_seconds", (System.nanoTime() - begun) / 1e9);
    List<String> silent = platform.silent(made.sandboxes());
    silent.stream().limit(3).forEach(findings::note);
    findings.must(
        "all that wake up at once answer",
        made.failures().isEmpty() && made.sandboxes().size() == count && silent.isEmpty());
    platform.delete(made.sandboxes());
  }

  /** Something asked of a sandbox. */
  @FunctionalInterface
  private interface Asked {
    Uni<?> of(SandboxHandle sandbox);
  }

  private static Uni<Long> each(List<SandboxHandle> sandboxes, Asked asked) {
    return Multi.createFrom()
        .iterable(sandboxes)
        .onItem()
        .transformToUni(asked::of)
        .merge(AT_ONCE)
        .collect()
        .with(Collectors.counting());
  }
}
