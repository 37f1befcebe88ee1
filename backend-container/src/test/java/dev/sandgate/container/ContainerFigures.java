// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Sandbox;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Measures, one after another: creation until the first command has ended, commands, removals. Run with the test class
 * path, {@code -Dsandgate.native=…}, the number of rounds, the provider of blanks and a limit of disk in bytes.
 */
final class ContainerFigures {

  private ContainerFigures() {}

  public static void main(String[] arguments) throws Exception {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 300;
    String provider = arguments.length > 1 ? arguments[1] : "native";
    String disk = arguments.length > 2 ? arguments[2] : "0";
    Map<String, String> settings = Map.of("provider", provider, "disk-bytes", disk);
    try (ContainerFixture fixture = new ContainerFixture(settings)) {
      lives(fixture, Math.max(20, rounds / 4));
      List<long[]> lives = lives(fixture, rounds);
      print("create", lives, 0);
      print("create to first exec", lives, 1);
      print("destroy", lives, 2);
      Sandbox sandbox = fixture.create(fixture.spec());
      execs(sandbox, rounds);
      print("exec", execs(sandbox, rounds * 4), 0);
      sandbox.destroy().await().atMost(ContainerFixture.PATIENCE);
    }
  }

  private static List<long[]> lives(ContainerFixture fixture, int rounds) {
    List<long[]> times = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      long start = System.nanoTime();
      Sandbox sandbox = fixture.create(fixture.spec());
      long created = System.nanoTime();
      execute(sandbox, "first");
      long executed = System.nanoTime();
      sandbox.destroy().await().atMost(ContainerFixture.PATIENCE);
      long destroyed = System.nanoTime();
      times.add(new long[] {created - start, executed - start, destroyed - executed});
    }
    return times;
  }

  private static List<long[]> execs(Sandbox sandbox, int rounds) {
    List<long[]> times = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      long start = System.nanoTime();
      execute(sandbox, "x" + i);
      times.add(new long[] {System.nanoTime() - start});
    }
    return times;
  }

  private static void execute(Sandbox sandbox, String id) {
    Exec exec =
        sandbox.exec(ExecSpec.of(id, "/bin/true")).await().atMost(ContainerFixture.PATIENCE);
    exec.events().collect().last().await().atMost(ContainerFixture.PATIENCE);
    exec.release().await().atMost(ContainerFixture.PATIENCE);
  }

  private static void print(String what, List<long[]> times, int column) {
    long[] sorted = times.stream().mapToLong(row -> row[column]).sorted().toArray();
    System.out.printf(
        "%-22s n %5d  p50 %7.2f ms  p90 %7.2f ms  p99 %7.2f ms%n",
        what, sorted.length, at(sorted, 0.50), at(sorted, 0.90), at(sorted, 0.99));
  }

  private static double at(long[] sorted, double share) {
    return Arrays.stream(sorted).skip((long) (share * (sorted.length - 1))).findFirst().orElse(0)
        / 1e6;
  }
}
