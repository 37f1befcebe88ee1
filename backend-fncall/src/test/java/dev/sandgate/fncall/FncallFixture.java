// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionCall.Gpu;
import dev.sandgate.spi.FunctionCall.Language;
import dev.sandgate.spi.FunctionCall.Limits;
import dev.sandgate.spi.FunctionCall.Task;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.FunctionResult.Output;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.Functions.PoolCounts;
import dev.sandgate.spi.Layer;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A backend of its own directories, cgroups and spawner, and the removal of all of it. Needs root. */
final class FncallFixture implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(100);
  static final Limits LIMITS =
      new Limits(
          Duration.ofSeconds(20), Duration.ofSeconds(60), 0, 64 << 10, Duration.ofSeconds(20));

  final String mark = UUID.randomUUID().toString().substring(0, 8);
  final Path directory;
  final Layer layer;
  final BackendContext context;
  private FncallBackend backend;

  /** Makes the layer below a directory. */
  @FunctionalInterface
  interface Making {
    Layer in(Path directory) throws IOException, InterruptedException;
  }

  FncallFixture(Making making, Map<String, String> extra) throws IOException, InterruptedException {
    directory = Files.createDirectory(Path.of("/tmp", "sg-" + mark));
    layer = making.in(Files.createDirectories(directory.resolve("images")));
    Map<String, String> settings = new HashMap<>(extra);
    settings.put("run", directory.resolve("r").toString());
    settings.put("cgroup-name", "sgf-" + mark);
    context =
        new BackendContext("test", Files.createDirectories(directory.resolve("state")), settings);
    backend = open();
  }

  /** One more backend on the same state, as after a crash of the node. */
  FncallBackend open() {
    return new FncallBackend(FncallSettings.of(context));
  }

  FncallBackend backend() {
    return backend;
  }

  /** What the spawner has now. */
  List<Spawner.Found> workers() {
    try (Spawner spawner = new Spawner(FncallSettings.of(context).spawner())) {
      return spawner.list();
    }
  }

  boolean hasSpawner() {
    return Files.exists(directory.resolve("r/spawner.sock"));
  }

  PoolCounts counts() {
    return backend.functions().counts();
  }

  /** Waits until nothing serves a call and nothing is looked at. */
  PoolCounts quiet() {
    return Eventually.value("no worker is busy", this::counts, counts -> counts.busy() == 0);
  }

  /** Waits until the pool is at rest: also nothing is being made ahead. */
  PoolCounts settled() {
    return Eventually.settles("the pool", Duration.ofMillis(400), this::counts);
  }

  FunctionResult call(FunctionCall call) {
    return backend.functions().call(call).await().atMost(PATIENCE);
  }

  FunctionResult call(Language language, String source) {
    return call(of(language, source));
  }

  /** Runs Python that must succeed; what it printed. */
  String python(String source) {
    return said(call(Language.PYTHON, source));
  }

  /** Runs shell that must succeed; what it printed. */
  String shell(String source) {
    return said(call(Language.SHELL, source));
  }

  static String said(FunctionResult result) {
    Run run = result.runs().getFirst();
    if (run.exitCode() != 0) {
      throw new AssertionError(result + "\n" + text(run.stderr()));
    }
    return text(run.stdout()).strip();
  }

  static String text(Output output) {
    return StandardCharsets.UTF_8.decode(output.head().duplicate()).toString();
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
  }

  static Case plain() {
    return new Case(bytes(""), Optional.empty());
  }

  static Task task(Language language, String source) {
    return new Task(language, source, List.of(), List.of(), List.of(), Gpu.NONE);
  }

  FunctionCall of(Language language, String source) {
    return of(task(language, source), LIMITS, plain());
  }

  FunctionCall of(Task task, Limits limits, Case... cases) {
    return new FunctionCall(List.of(layer), "user", Map.of(), task, List.of(cases), limits);
  }

  static Limits timeout(Duration timeout) {
    return new Limits(timeout, Duration.ofSeconds(60), 0, 64 << 10, Duration.ofSeconds(20));
  }

  static Limits memory(long bytes) {
    return new Limits(
        Duration.ofSeconds(30), Duration.ofSeconds(60), bytes, 64 << 10, Duration.ofSeconds(20));
  }

  @Override
  public void close() throws IOException {
    backend.close();
    Eventually.holds("deleted " + directory, this::deleted);
  }

  private boolean deleted() {
    try {
      HostLayers.run("rm", "-rf", directory.toString());
      return !Files.exists(directory);
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }
}
