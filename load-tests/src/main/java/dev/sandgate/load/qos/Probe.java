// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.load.sandbox.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The task that must not wait: a program on every CPU of a latency-sensitive sandbox, due every two milliseconds. */
final class Probe {

  private static final String PROGRAM = "/tmp/wakeup";
  private static final int EXECUTABLE = 0755;
  private static final int PERIOD_MICROS = 2_000;

  private final SandboxHandle sandbox;
  private final double iterationsPerMicro;

  private Probe(SandboxHandle sandbox, double iterationsPerMicro) {
    this.sandbox = sandbox;
    this.iterationsPerMicro = iterationsPerMicro;
  }

  /** Puts the program into the sandbox and finds out how fast it works; nothing else may run meanwhile. */
  static Probe in(SandboxHandle sandbox, Path program) throws IOException {
    Platform.await(sandbox.files().write(PROGRAM, Files.readAllBytes(program)));
    Platform.await(sandbox.files().changeMode(PROGRAM, EXECUTABLE));
    String iterations = output(sandbox, "calibrate", Integer.toString(PERIOD_MICROS)).getFirst();
    return new Probe(sandbox, Double.parseDouble(iterations) / PERIOD_MICROS);
  }

  /**
   * What it noticed.
   *
   * @param wake microseconds from when it was due until it ran
   * @param task the same until its work was done
   */
  record Noticed(Samples wake, Samples task) {}

  /** Works so many hundredths of the time. */
  Noticed run(Duration duration, int loadPercent) throws IOException {
    long iterations = Math.round(iterationsPerMicro * PERIOD_MICROS * loadPercent / 100);
    List<String> lines =
        output(
            sandbox,
            "run",
            Double.toString(duration.toMillis() / 1e3),
            Integer.toString(PERIOD_MICROS),
            Long.toString(iterations));
    return new Noticed(column(lines, 0), column(lines, 1));
  }

  private static Samples column(List<String> lines, int column) {
    return Samples.of(
        lines.stream()
            .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[column]))
            .toArray());
  }

  /** Microseconds of commands that do nothing, through the node's API. */
  Samples commands(int count) throws Exception {
    return Timing.each(
        count,
        () -> check(Platform.await(sandbox.execs().run(Execs.program("/bin/true").build()))));
  }

  private static List<String> output(SandboxHandle sandbox, String... arguments)
      throws IOException {
    String[] argv = new String[arguments.length + 1];
    argv[0] = PROGRAM;
    System.arraycopy(arguments, 0, argv, 1, arguments.length);
    ExecResult result = Platform.await(sandbox.execs().run(Execs.program(argv).build()));
    return check(result).stdoutText().lines().toList();
  }

  private static ExecResult check(ExecResult result) throws IOException {
    if (!result.ok()) {
      throw new IOException("a command ended with " + result);
    }
    return result;
  }
}
