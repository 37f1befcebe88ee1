// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Progress;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.client.BatchItem;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes sandboxes and prints their ids, one a line; with JSON one object a line. */
@Command(name = "create", description = "Make sandboxes and print their ids.")
public final class CreateCommand extends Work {

  @Parameters(
      paramLabel = "ENVIRONMENT",
      arity = "0..1",
      description = "NAME, NAME:TAG or NAME@sha256:…")
  private String environment = "";

  @Mixin private SpecOptions options = new SpecOptions();

  @Option(
      names = {"-n", "--count"},
      paramLabel = "N",
      description = "How many, with one call. Default: 1")
  private int count = 1;

  @Option(
      names = "--idempotency-key",
      paramLabel = "KEY",
      description = "The same key gives the same sandboxes.")
  private String idempotencyKey = "";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Give up after, for example 30s. Default: 120s")
  private @Nullable String timeout;

  @Option(
      names = "--pool-wait",
      paramLabel = "TIME",
      description = "Only of what the node made ahead: wait so long for one, for example 1s.")
  private @Nullable String poolWait;

  @Override
  public Integer call() {
    if (environment.isEmpty() && options.takesTheDefaultBackend()) {
      throw CommandFailure.usage("ENVIRONMENT: none given; 'sandgate env ls' shows what there is");
    }
    if (count < 1) {
      throw CommandFailure.usage("--count: at least 1, not " + count);
    }
    try (Sandgate sandgate = global().connect()) {
      return count == 1 ? one(sandgate) : many(sandgate);
    }
  }

  private static long millis(@Nullable String time) {
    return time == null ? 0 : Sizes.time(time).toMillis();
  }

  private int one(Sandgate sandgate) {
    CreateSandboxRequest request =
        CreateSandboxRequest.newBuilder()
            .setSpec(options.spec(environment))
            .setIdempotencyKey(idempotencyKey)
            .setTimeoutMillis(millis(timeout))
            .setPoolWaitMillis(millis(poolWait))
            .build();
    show(console(), sandgate.sandboxes().create(request).await().indefinitely());
    return ExitCode.OK;
  }

  private int many(Sandgate sandgate) {
    CreateSandboxBatchRequest request =
        CreateSandboxBatchRequest.newBuilder()
            .setSpec(options.spec(environment))
            .setCount(count)
            .setIdempotencyKey(idempotencyKey)
            .setTimeoutMillis(millis(timeout))
            .setPoolWaitMillis(millis(poolWait))
            .build();
    Console console = console();
    int made = 0;
    int failed = 0;
    try (Progress progress = console.progress()) {
      for (BatchItem item : sandgate.sandboxes().createBatch(request).subscribe().asIterable()) {
        switch (item) {
          case BatchItem.Created created -> {
            made++;
            show(console, created.sandbox());
          }
          case BatchItem.Failed refused -> {
            failed++;
            show(console, refused);
          }
        }
        progress.update("%d of %d made, %d failed".formatted(made, count, failed));
      }
    }
    return failed == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static void show(Console console, SandboxHandle sandbox) {
    if (console.json()) {
      console.json(sandbox.created());
    } else {
      console.line(sandbox.id());
    }
  }

  private static void show(Console console, BatchItem.Failed item) {
    if (console.json()) {
      console.json(Map.of("index", item.index(), "error", Failures.details(item.reason())));
    } else {
      console.note("sandgate: item " + item.index() + ": " + item.reason().getMessage());
    }
  }
}
