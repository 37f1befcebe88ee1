// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.trajectory;

import com.google.protobuf.Timestamp;
import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.ExitCode;
import dev.sandgate.cli.connection.Work;
import dev.sandgate.cli.trajectory.Remains.Difference;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.TrajectoryEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs what was recorded of a sandbox again in a fresh one, and says whether the same came of it. */
@Command(
    name = "replay",
    description = {
      "Run a sandbox's recorded commands again in a fresh sandbox of the same layers, and compare.",
      "Compared are how each command ended and, while the recorded sandbox lives, what both changed:",
      "path, kind, mode, owner, size and SHA-256, or a link's target."
    },
    footer = {
      "",
      "Commands run one after the other in the order of their starts. Skipped is what depends on",
      "something that is not recorded: STDIN, SESSION, TERMINAL, KILLED (by the platform or a caller,",
      "not at its timeout), RUNNING, UNKNOWN, RESET (before the sandbox was reset).",
      "Verdict, the last line: SAME (exit code 0); DIFFERENT (1); INCOMPLETE (1): nothing differs, but",
      "commands were skipped, or what the sandboxes changed could not be compared."
    })
final class ReplayCommand extends Work {

  private static final Set<SandboxState> TAKING_COMMANDS =
      Set.of(SandboxState.SANDBOX_STATE_RUNNING, SandboxState.SANDBOX_STATE_PAUSED);

  @Parameters(paramLabel = "SANDBOX", description = "The recorded sandbox's id.")
  private String sandboxId = "";

  @Option(names = "--keep", description = "Keep the fresh sandbox; its id is shown.")
  private boolean keep;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "K=V",
      description =
          "A variable the sandbox was created with: values are not told; may be repeated.")
  private Map<String, String> env = new LinkedHashMap<>();

  @Override
  public Integer call() {
    try (Sandgate sandgate = global().connect()) {
      Sandbox recorded = recorded(sandgate);
      List<TrajectoryEntry> entries = entries(sandgate);
      SandboxHandle fresh = fresh(sandgate, recorded);
      try {
        return replay(sandgate, recorded, entries, fresh);
      } finally {
        if (!keep) {
          fresh.delete().await().indefinitely();
        }
      }
    }
  }

  private Sandbox recorded(Sandgate sandgate) {
    try {
      return sandgate.sandboxes().get(sandboxId).await().indefinitely();
    } catch (SandgateClientException failure) {
      if (failure.unreachable()) {
        throw failure;
      }
      throw CommandFailure.failed(
          "%s: of what it was made is not known any more, so nothing can be replayed: %s"
              .formatted(sandboxId, failure.getMessage()));
    }
  }

  private List<TrajectoryEntry> entries(Sandgate sandgate) {
    Map<String, TrajectoryEntry> latest = new LinkedHashMap<>();
    ListTrajectoryRequest all = ListTrajectoryRequest.newBuilder().setSandboxId(sandboxId).build();
    sandgate
        .trajectories()
        .export(all)
        .subscribe()
        .asIterable()
        .forEach(page -> page.getEntriesList().forEach(e -> latest.put(e.getExecId(), e)));
    return latest.values().stream()
        .sorted(Comparator.comparingLong(TrajectoryEntry::getSequence))
        .toList();
  }

  private SandboxHandle fresh(Sandgate sandgate, Sandbox recorded) {
    SandboxSpec spec = recorded.getSpec();
    List<String> missing =
        spec.getEnvMap().keySet().stream().filter(name -> !env.containsKey(name)).toList();
    if (!missing.isEmpty()) {
      throw CommandFailure.usage(
          "--env: the sandbox was created with "
              + missing
              + ", whose values are not told: give them");
    }
    SandboxSpec again =
        spec.toBuilder()
            .clearLabels()
            .putLabels("replay-of", sandboxId)
            .clearEnv()
            .putAllEnv(env)
            .build();
    SandboxHandle fresh = sandgate.sandboxes().create(again).await().indefinitely();
    if (!fresh.created().getLayerDigestsList().equals(recorded.getLayerDigestsList())) {
      fresh.delete().await().indefinitely();
      throw CommandFailure.failed(
          "%s: its environment %s has other layers now, so nothing can be replayed"
              .formatted(sandboxId, spec.getEnvironment()));
    }
    return fresh;
  }

  /** What was done before a reset is not in what the sandbox is now. */
  private static Replayed replayed(TrajectoryEntry entry, Sandbox recorded, SandboxHandle fresh) {
    boolean before =
        recorded.hasResetAt()
            && !time(entry.getExec().getStartedAt()).isAfter(time(recorded.getResetAt()));
    return before ? new Replayed(entry, "RESET", "") : Replayed.run(entry, fresh.execs());
  }

  private static Instant time(Timestamp of) {
    return Instant.ofEpochSecond(of.getSeconds(), of.getNanos());
  }

  private int replay(
      Sandgate sandgate, Sandbox recorded, List<TrajectoryEntry> entries, SandboxHandle fresh) {
    List<Replayed> commands = new ArrayList<>();
    entries.forEach(entry -> commands.add(replayed(entry, recorded, fresh)));
    Optional<Remains> before =
        TAKING_COMMANDS.contains(recorded.getState())
            ? Remains.of(sandgate.sandboxes().handle(sandboxId))
            : Optional.empty();
    Optional<Remains> after = before.flatMap(_ -> Remains.of(fresh));
    List<Difference> differences =
        after.isEmpty() ? List.of() : before.orElseThrow().differences(after.get());
    Verdict verdict = new Verdict(commands, after.isPresent(), differences);
    verdict.show(console(), sandboxId, fresh.id(), keep);
    return verdict.word() == Verdict.Word.SAME ? ExitCode.OK : ExitCode.FAILURE;
  }
}
