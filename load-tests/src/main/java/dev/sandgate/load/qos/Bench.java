// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.measure.Subject;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.QosClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The task, and what may spin beside it.
 *
 * @param probe the task
 * @param bestEffort a crowd of the other class
 * @param sensitive a crowd of its own
 * @param cgroup of the best-effort class
 * @param duration of one measurement
 */
record Bench(
    Probe probe, Crowd bestEffort, Crowd sensitive, ClassCgroup cgroup, Duration duration) {

  private static final int SPINNERS = 40;
  private static final int COMMANDS = 200;
  private static final int LOAD_PERCENT = 75;
  private static final Duration USUAL = Duration.ofSeconds(10);
  private static final Duration SETTLING = Duration.ofMillis(300);
  private static final double MICROS_PER_TICK = 10_000;

  static Bench on(Platform platform, Path program, LoadArguments arguments) throws IOException {
    int count = arguments.count().orElse(SPINNERS);
    QosClass sensitive = QosClass.QOS_CLASS_LATENCY_SENSITIVE;
    Probe probe = Probe.in(create(platform, sensitive, 1).getFirst(), program);
    return new Bench(
        probe,
        new Crowd(create(platform, QosClass.QOS_CLASS_BEST_EFFORT, count)),
        new Crowd(create(platform, sensitive, count)),
        ClassCgroup.bestEffortOf(platform.scratch()),
        arguments.duration().orElse(USUAL));
  }

  // All of them ask for every CPU, so that they weigh the same.
  static List<SandboxHandle> create(Platform platform, QosClass ranked, int count) {
    int cpus = Runtime.getRuntime().availableProcessors();
    Limits limits = Limits.newBuilder().setCpuMillis(cpus * 1000).build();
    return IntStream.range(0, count)
        .mapToObj(
            _ ->
                Platform.await(
                    platform
                        .client()
                        .sandboxes()
                        .create(
                            platform.spec().toBuilder()
                                .setLimits(limits)
                                .setQosClass(ranked)
                                .build())))
        .toList();
  }

  /** One subject for each state, at 75 % load. */
  List<Subject> subjects() {
    return Stream.of(State.values()).<Subject>map(state -> () -> round(state)).toList();
  }

  private Map<String, Samples> round(State state) throws Exception {
    return beside(
        state,
        () -> {
          Map<String, Samples> found = new HashMap<>();
          long used = cgroup.cpuMicros();
          double idle = idleMicros();
          found.put(state.named("wake"), probe.run(duration, LOAD_PERCENT).wake());
          double spun = cgroup.cpuMicros() - used;
          if (state == State.BEST_EFFORT) {
            found.put("spare", Samples.of(spun / (spun + idleMicros() - idle)));
          }
          if (state == State.BEST_EFFORT || state == State.IDLE) {
            found.put(state.named("exec"), probe.commands(COMMANDS));
          }
          return found;
        });
  }

  /** One measurement at a load. */
  Probe.Noticed measure(State state, int loadPercent) throws Exception {
    return beside(state, () -> probe.run(duration, loadPercent));
  }

  /** What is done while others spin. */
  @FunctionalInterface
  private interface Work<T> {
    T get() throws Exception;
  }

  private <T> T beside(State state, Work<T> work) throws Exception {
    return switch (state) {
      case IDLE -> settled(work);
      case BEST_EFFORT -> besideSpinning(bestEffort, work);
      case FLAT -> besideSpinning(sensitive, work);
      case LEAST_WEIGHT -> {
        cgroup.setLeastWeight();
        try {
          yield besideSpinning(bestEffort, work);
        } finally {
          cgroup.setIdle();
        }
      }
    };
  }

  private static <T> T besideSpinning(Crowd crowd, Work<T> work) throws Exception {
    try (Crowd.Spinning _ = crowd.spin()) {
      return settled(work);
    }
  }

  private static <T> T settled(Work<T> work) throws Exception {
    LockSupport.parkNanos(SETTLING.toNanos());
    return work.get();
  }

  private static double idleMicros() throws IOException {
    String[] ticks = Files.readAllLines(Path.of("/proc/stat")).getFirst().trim().split(" +", -1);
    return (Long.parseLong(ticks[4]) + Long.parseLong(ticks[5])) * MICROS_PER_TICK;
  }
}
