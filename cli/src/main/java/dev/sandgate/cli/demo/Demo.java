// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.demo;

import dev.sandgate.cli.output.Progress;
import dev.sandgate.client.BatchItem;
import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.SandboxSpec;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The steps of the demo, each through the gateway as any trainer would do it. */
final class Demo {

  private static final int AT_ONCE = 64;
  private static final String LABEL = "demo";

  private final Sandgate sandgate;
  private final Progress progress;
  private final Figures figures;
  private final List<SandboxHandle> sandboxes = new ArrayList<>();

  Demo(Sandgate sandgate, Progress progress, Figures figures) {
    this.sandgate = sandgate;
    this.progress = progress;
    this.figures = figures;
  }

  /** Makes a builtin environment unless an earlier run did; false when it cannot be made. */
  boolean environment(String name) {
    if (known(name)) {
      progress.done("environment " + name + ": there already");
      return true;
    }
    long start = System.nanoTime();
    ImportEnvironmentRequest request =
        ImportEnvironmentRequest.newBuilder().setName(name).setBuiltin(name).build();
    try {
      for (ImportProgress step :
          sandgate.environments().importFrom(request).subscribe().asIterable()) {
        progress.update(
            "environment %s: %s, %d s".formatted(name, step.getPhase(), since(start).toSeconds()));
      }
    } catch (SandgateClientException refused) {
      figures.fail("environment " + name + ": " + refused.getMessage());
      progress.done("environment " + name + ": " + refused.getMessage());
      return false;
    }
    progress.done("environment %s: made in %d s".formatted(name, since(start).toSeconds()));
    return true;
  }

  private boolean known(String name) {
    List<Environment> all = sandgate.environments().list().await().indefinitely();
    return all.stream().anyMatch(environment -> environment.getName().equals(name));
  }

  /** Makes many sandboxes with one call. */
  void create(String environment, int count) {
    SandboxSpec spec =
        SandboxSpec.newBuilder()
            .setEnvironment(environment)
            .setQosClass(QosClass.QOS_CLASS_LATENCY_SENSITIVE)
            .putLabels(LABEL, "yes")
            .build();
    CreateSandboxBatchRequest request =
        CreateSandboxBatchRequest.newBuilder().setSpec(spec).setCount(count).build();
    long start = System.nanoTime();
    for (BatchItem item : sandgate.sandboxes().createBatch(request).subscribe().asIterable()) {
      switch (item) {
        case BatchItem.Created created -> {
          sandboxes.add(created.sandbox());
          figures.create.add(created.sandbox().created().getCreateMicros());
        }
        case BatchItem.Failed refused -> figures.fail("create: " + refused.reason().getMessage());
      }
      progress.update("sandboxes: %d of %d".formatted(sandboxes.size(), count));
    }
    figures.created(since(start));
    progress.done(
        "sandboxes: %d of %d in %d ms".formatted(sandboxes.size(), count, since(start).toMillis()));
  }

  /** Streams commands through all sandboxes at once and checks every byte of their output. */
  void execute(int commands) {
    if (sandboxes.isEmpty()) {
      return;
    }
    AtomicInteger done = new AtomicInteger();
    long start = System.nanoTime();
    each(
        Multi.createFrom().range(0, commands),
        number ->
            command(number)
                .invoke(
                    result ->
                        progress.update(
                            "commands: %d of %d, %.0f/s"
                                .formatted(
                                    done.incrementAndGet(),
                                    commands,
                                    done.get() * 1e9 / (System.nanoTime() - start)))));
    figures.executed(since(start));
    progress.done(
        "commands: %d of %d in %d ms".formatted(done.get(), commands, since(start).toMillis()));
  }

  private Uni<Boolean> command(int number) {
    SandboxHandle sandbox = sandboxes.get(number % sandboxes.size());
    String expected = "command " + number + " in " + sandbox.id() + "\n";
    long start = System.nanoTime();
    return sandbox.execs().stream(Execs.shell("echo command " + number + " in $(hostname)").build())
        .collect()
        .in(StreamedOutput::new, StreamedOutput::add)
        .map(output -> output.is(expected, 0))
        .invoke(
            right -> {
              figures.exec.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
              if (!right) {
                figures.fail("command " + number + ": not the output that was expected");
              }
            });
  }

  /** Writes a file in each sandbox, then looks in each for anybody else's. */
  void isolation() {
    AtomicInteger alone = new AtomicInteger();
    String file = "/tmp/mine-";
    each(
        Multi.createFrom().iterable(sandboxes),
        sandbox -> run(sandbox, "echo secret > " + file + sandbox.id()).map(ExecResult::ok));
    each(
        Multi.createFrom().iterable(sandboxes),
        sandbox ->
            run(sandbox, "echo " + file + "*")
                .map(result -> result.stdoutText().equals(file + sandbox.id() + "\n"))
                .invoke(own -> count(own, alone, sandbox)));
    figures.isolated(alone.get());
    progress.done(
        "isolation: a file written in each of %d, in %d no other seen"
            .formatted(sandboxes.size(), alone.get()));
  }

  private void count(boolean own, AtomicInteger alone, SandboxHandle sandbox) {
    if (own) {
      alone.incrementAndGet();
    } else {
      figures.fail("isolation: " + sandbox.id() + " does not see its own file only");
    }
  }

  private static Uni<ExecResult> run(SandboxHandle sandbox, String line) {
    return sandbox.execs().run(Execs.shell(line).build());
  }

  /** Asks what each sandbox uses. */
  void memory() {
    List<Long> bytes =
        Multi.createFrom()
            .iterable(sandboxes)
            .onItem()
            .transformToUni(sandbox -> sandgate.sandboxes().get(sandbox.id()))
            .merge(AT_ONCE)
            .map(sandbox -> sandbox.getUsage().getMemoryBytes())
            .collect()
            .asList()
            .await()
            .indefinitely();
    figures.memory(bytes);
  }

  /** Removes every sandbox of the demo, also those whose answer was lost, and checks that none is left. */
  void cleanUp() {
    long start = System.nanoTime();
    List<String> ids = mine();
    each(Multi.createFrom().iterable(ids), id -> sandgate.sandboxes().delete(id));
    int left = mine().size();
    if (left > 0) {
      figures.fail("clean-up: " + left + " sandboxes are left");
    }
    progress.done(
        "clean-up: %d sandboxes removed in %d ms, %d left"
            .formatted(ids.size(), since(start).toMillis(), left));
  }

  private List<String> mine() {
    ListSandboxesRequest filter = ListSandboxesRequest.newBuilder().putLabels(LABEL, "yes").build();
    return sandgate
        .sandboxes()
        .list(filter)
        .map(sandbox -> sandbox.getSandboxId())
        .collect()
        .asList()
        .await()
        .indefinitely();
  }

  private interface Step<T> {
    Uni<Boolean> on(T item);
  }

  /** A bounded number at once; a failure counts and stops none of the others. */
  private <T> void each(Multi<T> items, Step<T> step) {
    items
        .onItem()
        .transformToUni(
            item ->
                step.on(item).onFailure().invoke(this::failed).onFailure().recoverWithItem(false))
        .merge(AT_ONCE)
        .collect()
        .last()
        .await()
        .indefinitely();
  }

  private void failed(Throwable failure) {
    figures.fail(String.valueOf(failure.getMessage()));
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }

  /** Gathers a command's small output. */
  private static final class StreamedOutput {

    private final StringBuilder text = new StringBuilder();
    private int exitCode = -1;

    void add(ExecEvent event) {
      switch (event) {
        case ExecEvent.Output output -> text.append(StandardCharsets.UTF_8.decode(output.data()));
        case ExecEvent.Exited exited -> exitCode = exited.result().exitCode();
        case ExecEvent.Started started -> exitCode = -1;
        case ExecEvent.Truncated hole -> text.append("(truncated)");
      }
    }

    boolean is(String expected, int code) {
      return exitCode == code && text.toString().equals(expected);
    }
  }
}
