// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.execs.ExecRecord.Origin;
import dev.sandgate.node.execs.ExecRows.Stored;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.SandboxListener;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.OutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;

/** The commands of this node's sandboxes. */
public final class Execs {

  private final Sandboxes sandboxes;
  private final ExecRows rows;
  private final Records records;
  private final Executions executions;
  private final Capacity capacity;

  /** Opens the records; blocks. */
  public Execs(Sandboxes sandboxes, Database database, Path dataDirectory, Capacity capacity) {
    this.sandboxes = sandboxes;
    this.capacity = capacity;
    this.rows = new ExecRows(database);
    this.records = new Records(dataDirectory.resolve("spool"), capacity, rows);
    this.executions = new Executions(rows, records);
    sandboxes.listen(new Following());
  }

  /** Answers the methods of {@code sandgate.v1.Execs}. */
  public void route(Routes routes) {
    new ExecsService(sandboxes, records, executions).route(routes);
  }

  /** Drops what ended long ago; called about once a second. */
  public void sweep() {
    records.sweep(System.currentTimeMillis() - capacity.retention().toMillis());
  }

  /** Reads the commands of sandboxes that had ended before the node restarted; blocks. */
  public void load(Collection<LiveSandbox> ended) {
    ended.forEach(this::loadEnded);
  }

  /** Writes what is waiting. */
  public void close() {
    executions.close();
    rows.close();
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

  private void loadEnded(LiveSandbox sandbox) {
    for (Stored stored : rows.load(sandbox.id())) {
      ExecRecord record = records.create(origin(sandbox, stored));
      if (records.add(record) == record) {
        ExecResult result = ExecRows.result(stored);
        record.output().end(stored.exec().getStdoutBytes(), stored.exec().getStderrBytes());
        record.end(result == null ? Results.unknown(record, "SANDBOX_LOST") : result);
        records.ended(record);
        if (result == null) {
          rows.intent(record);
        }
      }
    }
  }

  private static Origin origin(LiveSandbox sandbox, Stored stored) {
    Exec exec = stored.exec();
    return new Origin(
        sandbox, exec.getExecId(), exec.getCommand(), stored.sequence(), exec.getStartedAt());
  }

  /** What sandboxes' ends and returns mean for their commands. */
  private final class Following implements SandboxListener {

    @Override
    public void adopted(LiveSandbox sandbox) {
      dev.sandgate.spi.Sandbox running = sandbox.running();
      for (Stored stored : rows.load(sandbox.id())) {
        if (ExecRows.result(stored) == null) {
          executions.resume(origin(sandbox, stored), running);
        }
      }
      loadEnded(sandbox);
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
    public void ended(LiveSandbox sandbox) {
      for (ExecRecord record : records.newestFirst(sandbox.id(), Long.MAX_VALUE)) {
        if (record.result() == null) {
          executions.end(record, Results.unknown(record, reason(record)));
        }
      }
    }

    @Override
    public void forgotten(LiveSandbox sandbox) {
      records.forget(sandbox.id());
      Blocking.report("dropping commands of " + sandbox.id(), rows.forgetAll(sandbox.id()));
    }

    private static String reason(ExecRecord record) {
      return record.killReason().isEmpty() ? "SANDBOX_LOST" : record.killReason();
    }
  }
}
