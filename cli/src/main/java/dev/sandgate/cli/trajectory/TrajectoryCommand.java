// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.trajectory;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.output.Console;
import dev.sandgate.client.Sandgate;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.TrajectoryEntry;
import dev.sandgate.proto.v1.TrajectoryPage;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what was done in a sandbox, or in all of an episode, a rollout or a job. */
@Command(
    name = "trajectory",
    subcommands = {ReplayCommand.class},
    description = {
      "Show every command that was run, with what came of it.",
      "In a sandbox, or in all of an episode, a rollout or a job; also of sandboxes that are gone."
    },
    footer = {
      "",
      "With --output json: one JSON object a line, oldest first, as they come. A command that still",
      "ran then comes again once it ended; of two lines with the same sandbox_id and exec_id the",
      "later one counts. The last line on stderr says how to go on from there with --after."
    })
public final class TrajectoryCommand extends Work {

  @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX", description = "Its id.")
  private String sandboxId = "";

  @Option(names = "--episode", paramLabel = "E", description = "Only with the label episode=E.")
  private String episode = "";

  @Option(names = "--rollout", paramLabel = "R", description = "Only with the label rollout=R.")
  private String rollout = "";

  @Option(names = "--job", paramLabel = "J", description = "Only with the label job=J.")
  private String job = "";

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Only what came after an earlier run, which printed this.")
  private String after = "";

  @Option(
      names = "--changes",
      description = "Show which command changed which file, of those run with exec --changes.")
  private boolean changes;

  private final Map<String, TrajectoryEntry> latest = new LinkedHashMap<>();
  private final Set<String> unreachable = new LinkedHashSet<>();

  @Override
  public Integer call() {
    if (sandboxId.isEmpty() && episode.isEmpty() && rollout.isEmpty() && job.isEmpty()) {
      throw CommandFailure.usage(
          "SANDBOX: whose trajectory? Give a sandbox's id, --episode, --rollout or --job");
    }
    String cursor = after;
    try (Sandgate sandgate = global().connect()) {
      for (TrajectoryPage page :
          sandgate.trajectories().export(selection()).subscribe().asIterable()) {
        take(page);
        cursor = page.getCursor();
      }
    }
    finish(cursor);
    return unreachable.isEmpty() ? ExitCode.OK : ExitCode.UNREACHABLE;
  }

  private ListTrajectoryRequest selection() {
    return ListTrajectoryRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setEpisode(episode)
        .setRollout(rollout)
        .setJob(job)
        .setAfter(after)
        .build();
  }

  private void take(TrajectoryPage page) {
    unreachable.addAll(page.getUnreachableNodesList());
    for (TrajectoryEntry entry : page.getEntriesList()) {
      if (console().json()) {
        console().json(Line.json(entry));
      } else {
        latest.put(entry.getSandboxId() + "/" + entry.getExecId(), entry);
      }
    }
  }

  private void finish(String cursor) {
    Console console = console();
    if (!console.json()) {
      Stream<TrajectoryEntry> entries =
          latest.values().stream().sorted(Comparator.comparingLong(TrajectoryEntry::getSequence));
      if (changes) {
        console.table(Line.CHANGES_HEADER, entries.flatMap(e -> Line.changes(e).stream()).toList());
      } else {
        console.table(Line.HEADER, entries.map(Line::cells).toList());
      }
    }
    unreachable.forEach(
        node ->
            console.note(
                "sandgate: node " + node + " cannot be reached, its commands are missing"));
    console.note("sandgate: go on from here with --after " + cursor);
  }
}
