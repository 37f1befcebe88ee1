// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Recording;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.SandboxListener;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.node.trajectory.Step;
import dev.sandgate.node.trajectory.Steps;
import dev.sandgate.node.trajectory.Trajectories;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The commands of this node's sandboxes. */
public final class Execs {

  private static final long RECORD_MILLIS = 10_000;

  private final Sandboxes sandboxes;
  private final Trajectories trajectories;
  private final Records records;
  private final Recall recall;
  private final Executions executions;
  private final Capacity capacity;

  /**
   * What commands stand on.
   *
   * @param sandboxes where they run
   * @param trajectories where they are recorded
   * @param dataDirectory where their output is kept
   * @param capacity how many are kept, how long
   * @param recording how they are recorded
   * @param latencies where it is told how long they took
   */
  public record Parts(
      Sandboxes sandboxes,
      Trajectories trajectories,
      Path dataDirectory,
      Capacity capacity,
      Recording recording,
      Latencies latencies) {}

  /** Opens the records; blocks. */
  public Execs(Parts parts) {
    sandboxes = parts.sandboxes();
    trajectories = parts.trajectories();
    capacity = parts.capacity();
    Steps steps = trajectories.steps();
    Path spool = parts.dataDirectory().resolve("spool");
    records = new Records(spool, capacity, parts.recording().spoolBytes(), steps.sequence());
    recall = new Recall(steps, records);
    Journal journal = journal(parts.recording(), steps);
    executions = new Executions(journal, records, recall, parts.latencies());
    sandboxes.listen(new Following());
  }

  private static Journal journal(Recording recording, Steps steps) {
    return switch (recording.journal()) {
      case PROCESS, POWER -> Journal.of(steps);
      case OFF -> {
        Executions.LOG.warn(
            "node.journal=off: commands are not recorded and may be lost; for measuring only");
        yield Journal.off();
      }
    };
  }

  /** Answers the methods of {@code sandgate.v1.Execs}. */
  public void route(Routes routes) {
    new ExecsService(sandboxes, records, executions, recall).route(routes);
  }

  /** Drops what ended long ago; called about once a second. */
  public void sweep() {
    executions.sweep();
    records.sweep(oldest());
  }

  /** Reads the commands of sandboxes that had ended before the node restarted; blocks. */
  public void load(Collection<LiveSandbox> ended) throws IOException {
    ended.forEach(this::loadEnded);
    records.deleteLeftovers();
  }

  /** Ids of a sandbox's commands that run, newest first. */
  public List<String> running(String sandboxId) {
    return records.newestFirst(sandboxId, Long.MAX_VALUE).stream()
        .filter(record -> record.result() == null)
        .map(ExecRecord::execId)
        .toList();
  }

  /** A number that grows with each command that is begun in a sandbox. */
  public long latest(String sandboxId) {
    return records.newestFirst(sandboxId, Long.MAX_VALUE).stream()
        .findFirst()
        .map(ExecRecord::sequence)
        .orElse(0L);
  }

  /** Writes what is waiting; blocks. */
  public void close() {
    executions.close();
  }

  static Exec shown(ExecRecord record) {
    Exec.Builder exec =
        Exec.newBuilder()
            .setExecId(record.execId())
            .setSandboxId(record.sandbox().id())
            .setCommand(record.command())
            .setStartedAt(record.startedAt())
            .setStdoutBytes(record.output().produced(OutputStream.OUTPUT_STREAM_STDOUT))
            .setStderrBytes(record.output().produced(OutputStream.OUTPUT_STREAM_STDERR));
    ExecResult result = record.result();
    return result == null ? exec.build() : exec.setResult(result).build();
  }

  static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  private long oldest() {
    return System.currentTimeMillis() - capacity.retention().toMillis();
  }

  private void loadEnded(LiveSandbox sandbox) {
    for (Step step : trajectories.steps().unfinished(sandbox.id())) {
      ExecRecord record = recall.ended(sandbox, step);
      if (executions.end(record, () -> Results.unknown(record, "SANDBOX_LOST"))) {
        Blocking.await(record.ended(), RECORD_MILLIS);
      }
    }
    loadRecent(sandbox);
  }

  private void loadRecent(LiveSandbox sandbox) {
    int most = capacity.execsPerSandbox() / 2;
    for (Step step : trajectories.steps().endedSince(sandbox.id(), oldest(), most)) {
      recall.ended(sandbox, step);
    }
  }

  /** What sandboxes' ends and returns mean for their commands. */
  private final class Following implements SandboxListener {

    @Override
    public void adopted(LiveSandbox sandbox) {
      dev.sandgate.spi.Sandbox running = sandbox.running();
      for (Step step : trajectories.steps().unfinished(sandbox.id())) {
        executions.resume(Recall.origin(sandbox, step), running);
      }
      loadRecent(sandbox);
    }

    @Override
    public void ending(LiveSandbox sandbox, String killReason) {
      if (sandbox.adopting()) {
        loadEnded(sandbox);
        return;
      }
      for (ExecRecord record : records.newestFirst(sandbox.id(), Long.MAX_VALUE)) {
        record.killedFor(killReason);
      }
    }

    @Override
    public void reset(LiveSandbox sandbox, Optional<Usage> used) {
      endAll(sandbox);
    }

    @Override
    public void ended(LiveSandbox sandbox) {
      endAll(sandbox);
      trajectories.ended(sandbox.id());
    }

    private void endAll(LiveSandbox sandbox) {
      for (ExecRecord record : records.newestFirst(sandbox.id(), Long.MAX_VALUE)) {
        if (record.result() == null) {
          executions.end(record, () -> Results.unknown(record, reason(record)));
        }
      }
    }

    @Override
    public void forgotten(LiveSandbox sandbox) {
      records.forget(sandbox.id());
    }

    private static String reason(ExecRecord record) {
      return record.killReason().isEmpty() ? "SANDBOX_LOST" : record.killReason();
    }
  }
}
