// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_PAUSED;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_RUNNING;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Failures;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.client.Batches;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one command in many sandboxes by one call, and shows each result as it comes. */
@CommandLine.Command(
    name = "each",
    description = "Run one command in many sandboxes at once; show each result as it comes.",
    footer = {
      "",
      "A line per sandbox: its id, the exit code and what the command wrote; with --output json",
      "the whole result. Exit code: 0 when every command ended with 0, else 1, also when none ran.",
      "Example: sandgate each -l rollout=7 -- make test"
    })
public final class EachCommand extends Work {

  @Parameters(
      paramLabel = "COMMAND",
      parameterConsumer = RestOfLine.class,
      description = "Program and arguments, run without a shell.")
  private List<String> argv = List.of();

  @Option(
      names = {"-s", "--sandbox"},
      paramLabel = "ID",
      description = "In this one; may be repeated.")
  private List<String> ids = List.of();

  @Mixin private final Selection selection = new Selection();

  @Mixin private final CommandOptions options = new CommandOptions();

  @Override
  public Integer call() {
    if (argv.isEmpty()) {
      throw CommandFailure.usage("COMMAND: nothing to run: give a program behind the options");
    }
    if (ids.isEmpty() && selection.isEmpty()) {
      throw CommandFailure.usage("--sandbox: nowhere to run: give --sandbox, --label or --all");
    }
    if (!ids.isEmpty() && !selection.isEmpty()) {
      throw CommandFailure.usage("--sandbox: give either --sandbox, or --label or --all");
    }
    try (Sandgate sandgate = global().connect()) {
      List<String> where = where(sandgate);
      List<Integer> codes =
          sandgate
              .batches()
              .run(where, options.command().addAllArgv(argv).build())
              .map(this::tell)
              .collect()
              .asList()
              .await()
              .indefinitely();
      long good = codes.stream().filter(code -> code == 0).count();
      console().note("sandgate: " + good + " of " + codes.size() + " ended with 0");
      return good == codes.size() ? ExitCode.OK : ExitCode.FAILURE;
    }
  }

  private List<String> where(Sandgate sandgate) {
    List<String> where =
        ids.isEmpty() ? selection.ids(sandgate, SANDBOX_STATE_RUNNING, SANDBOX_STATE_PAUSED) : ids;
    if (where.isEmpty()) {
      throw CommandFailure.failed("no running sandbox is selected, so nothing ran");
    }
    return where;
  }

  private int tell(Batches.Ran ran) {
    return ran.result()
        .map(result -> tell(ran.sandboxId(), result))
        .orElseGet(() -> tell(ran, ran.failure().orElseThrow()));
  }

  private int tell(String sandboxId, ExecResult result) {
    if (console().json()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("sandbox_id", sandboxId);
      shown.putAll(ExecJson.shown(result));
      console().json(shown);
    } else {
      String text = (result.stdoutText() + result.stderrText()).strip();
      console().line(sandboxId + "  " + result.exitCode() + "  " + text.replace("\n", "\n    "));
    }
    return result.exitCode();
  }

  private int tell(Batches.Ran ran, SandgateClientException failure) {
    if (console().json()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("sandbox_id", ran.sandboxId());
      shown.put("exec_id", ran.execId());
      shown.putAll(Failures.details(failure));
      console().json(shown);
    } else {
      console().note("sandgate: " + ran.sandboxId() + ": " + failure.getMessage());
    }
    return ExitCode.PLATFORM;
  }
}
