// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** The real agent as an ordinary process, with a directory and a cgroup of its own, and a connection to it. */
final class PlainAgent implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(100);

  final Path directory;
  final AgentLoop loop;
  final Process process;
  private final Path cgroup;
  AgentConnection connection;

  PlainAgent(AgentTuning tuning) throws IOException {
    String mark = UUID.randomUUID().toString().substring(0, 8);
    directory = Files.createDirectory(Path.of("/tmp", "sa-" + mark));
    cgroup = Files.createDirectory(cgroupParent().resolve("sgj-agent-" + mark));
    String binary = Path.of(System.getProperty("sandgate.native"), "agent").toString();
    process =
        new ProcessBuilder(binary, "--socket", socket().toString(), "--cgroup", cgroup.toString())
            .inheritIO()
            .start();
    loop = new AgentLoop("test-agent", 1, tuning);
    connection = connect();
  }

  PlainAgent() throws IOException {
    this(AgentTuning.DEFAULT);
  }

  private static Path cgroupParent() throws IOException {
    return Files.readAllLines(Path.of("/proc/mounts")).stream()
        .map(line -> line.split(" ", -1))
        .filter(fields -> fields[2].equals("cgroup2"))
        .map(fields -> Path.of(fields[1]))
        .findFirst()
        .orElseThrow();
  }

  private Path socket() {
    return directory.resolve("a.sock");
  }

  AgentConnection connect() {
    return connect(() -> Uni.createFrom().item(0L));
  }

  AgentConnection connect(GuestView view) {
    return loop.connect(socket(), PATIENCE, view).await().atMost(PATIENCE);
  }

  Exec start(String... argv) {
    return start(ExecSpec.of(UUID.randomUUID().toString(), argv));
  }

  Exec start(ExecSpec spec) {
    return connection.exec(spec).await().atMost(PATIENCE);
  }

  Result run(String... argv) {
    return Result.of(start(argv));
  }

  Result sh(String script) {
    return run("/bin/sh", "-c", script);
  }

  /** Processes in the agent's cgroups. */
  List<String> processes() throws IOException {
    try (Stream<Path> tree = Files.walk(cgroup)) {
      return tree.filter(path -> path.endsWith("cgroup.procs")).flatMap(PlainAgent::lines).toList();
    }
  }

  private static Stream<String> lines(Path path) {
    try {
      return Files.readAllLines(path).stream();
    } catch (IOException e) {
      return Stream.empty(); // a cgroup that was removed meanwhile
    }
  }

  /** Waits for something to become true. */
  static void eventually(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "never happened: " + what);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Override
  public void close() throws IOException {
    loop.close();
    Files.writeString(cgroup.resolve("cgroup.kill"), "1");
    process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    eventually("the cgroup is removed", this::removed);
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private boolean removed() {
    try (Stream<Path> tree = Files.walk(cgroup)) {
      for (Path path : tree.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return !Files.exists(cgroup);
    }
  }
}
