// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Names;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists sandboxes. */
@Command(name = "ls", description = "List sandboxes, newest first.")
public final class ListCommand extends Work {

  @Option(
      names = {"-l", "--label"},
      paramLabel = "K=V",
      description = "Only with this label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      description =
          "Only in this state: creating, running, paused, stopping, terminated, failed; may be repeated.")
  private List<String> states = List.of();

  @Option(
      names = {"-q", "--quiet"},
      description = "Print ids only.")
  private boolean quiet;

  @Override
  public Integer call() {
    ListSandboxesRequest filter =
        ListSandboxesRequest.newBuilder()
            .putAllLabels(labels)
            .addAllStates(states.stream().map(ListCommand::state).toList())
            .build();
    List<Sandbox> sandboxes = new ArrayList<>();
    Set<String> unreachable = new LinkedHashSet<>();
    try (Sandgate sandgate = global().connect()) {
      for (ListSandboxesResponse page :
          sandgate.sandboxes().pages(filter).subscribe().asIterable()) {
        sandboxes.addAll(page.getSandboxesList());
        unreachable.addAll(page.getUnreachableNodesList());
      }
    }
    show(console(), sandboxes);
    unreachable.forEach(
        node ->
            console()
                .note("sandgate: node " + node + " cannot be reached, its sandboxes are missing"));
    return unreachable.isEmpty() ? ExitCode.OK : ExitCode.UNREACHABLE;
  }

  private static SandboxState state(String name) {
    try {
      return SandboxState.valueOf("SANDBOX_STATE_" + name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw CommandFailure.usage(
          "--state: '"
              + name
              + "' is unknown, give creating, running, paused, stopping, terminated or failed");
    }
  }

  private void show(Console console, List<Sandbox> sandboxes) {
    if (quiet) {
      sandboxes.forEach(sandbox -> console.line(sandbox.getSandboxId()));
    } else if (console.json()) {
      console.json(sandboxes);
    } else {
      console.table(
          List.of("ID", "STATE", "BACKEND", "ENVIRONMENT", "AGE", "LABELS"),
          sandboxes.stream().map(sandbox -> row(console, sandbox)).toList());
    }
  }

  private static List<String> row(Console console, Sandbox sandbox) {
    return List.of(
        sandbox.getSandboxId(),
        state(console, sandbox.getState()),
        sandbox.getSpec().getBackend(),
        sandbox.getSpec().getEnvironment(),
        Ages.of(sandbox.getCreatedAt()),
        String.join(
            " ",
            sandbox.getSpec().getLabelsMap().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .sorted()
                .toList()));
  }

  static String state(Console console, SandboxState state) {
    String name = Names.of(state);
    return switch (state) {
      case SANDBOX_STATE_RUNNING -> console.good(name);
      case SANDBOX_STATE_FAILED -> console.bad(name);
      default -> name;
    };
  }
}
