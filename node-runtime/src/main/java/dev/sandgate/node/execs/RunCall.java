// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static dev.sandgate.spi.SandgateException.invalid;

import com.google.protobuf.ByteString;
import dev.sandgate.node.execs.Output.Next;
import dev.sandgate.node.files.ChangesAround;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecTruncated;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.spi.Capability;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Runs commands to their end and answers with result and output. */
final class RunCall {

  private static final int CAP = 4 << 20;

  private final ExecsService execs;

  RunCall(ExecsService execs) {
    this.execs = execs;
  }

  Uni<ExecResult> run(RunExecRequest request) {
    if (!request.getReportChanges() || execs.knows(request.getSandboxId(), request.getExecId())) {
      return plain(request);
    }
    return execs
        .running(request.getSandboxId(), Capability.CHANGES)
        .flatMap(sandbox -> ChangesAround.of(sandbox, () -> plain(request)))
        .flatMap(done -> recorded(request.getSandboxId(), done));
  }

  private Uni<ExecResult> recorded(String sandboxId, ChangesAround.Done<ExecResult> done) {
    ExecResult told = done.result().toBuilder().setFsChanges(done.changes()).build();
    return execs
        .known(sandboxId, told.getExecId())
        .flatMap(record -> Uni.createFrom().completionStage(execs.changed(record, done.changes())))
        .onFailure()
        .invoke(
            failure ->
                Executions.LOG.warn(
                    "exec {}: its changes have no record", told.getExecId(), failure))
        .onFailure()
        .recoverWithNull()
        .replaceWith(told);
  }

  // Copies: a caller who leaves cancels what it waits for, which others wait for too.
  private Uni<ExecResult> plain(RunExecRequest request) {
    Command command = command(request);
    return Uni.createFrom()
        .completionStage(
            () -> execs.started(request.getSandboxId(), request.getExecId(), command).copy())
        .invoke(record -> feed(record, request))
        .flatMap(
            record ->
                Uni.createFrom()
                    .completionStage(record.ended().copy())
                    .flatMap(_ -> answer(record)));
  }

  /** The call itself reads all output, so that nothing needs to wait for a reader. */
  private static Command command(RunExecRequest request) {
    Command asked = request.getCommand();
    if (asked.getStdin() && request.getStdin().isEmpty()) {
      throw invalid("command.stdin", "Run writes stdin by itself; put the bytes into stdin");
    }
    return Commands.read(asked).toBuilder()
        .setStdin(!request.getStdin().isEmpty())
        .setOutputPolicy(OutputPolicy.OUTPUT_POLICY_RECORD)
        .build();
  }

  private static void feed(ExecRecord record, RunExecRequest request) {
    if (!request.getStdin().isEmpty() && record.result() == null) {
      Input.writeAll(record, request.getStdin())
          .subscribe()
          .with(
              _ -> {},
              failure ->
                  Executions.LOG.debug("exec {} took not all of stdin", record.execId(), failure));
    }
  }

  private static Uni<ExecResult> answer(ExecRecord record) {
    Output output = record.output();
    ExecResult known = Objects.requireNonNull(record.result());
    if (output.isSmall() && known.getTruncatedCount() == 0) {
      return Uni.createFrom()
          .item(
              known.toBuilder()
                  .setStdout(output.small(OutputStream.OUTPUT_STREAM_STDOUT))
                  .setStderr(output.small(OutputStream.OUTPUT_STREAM_STDERR))
                  .build());
    }
    return Blocking.call(
        () ->
            result(
                known,
                collect(output, OutputStream.OUTPUT_STREAM_STDOUT, known),
                collect(output, OutputStream.OUTPUT_STREAM_STDERR, known)));
  }

  /** All that is kept, or its first and last part. */
  private static Collected collect(Output output, OutputStream stream, ExecResult result)
      throws IOException {
    long wrote = wrote(result, stream);
    long headEnd = wrote;
    long tailStart = 0;
    long kept = wrote;
    for (ExecTruncated gap : result.getTruncatedList()) {
      if (gap.getStream() == stream) {
        headEnd = gap.getFrom();
        tailStart = gap.getTo();
        kept = headEnd + wrote - tailStart;
      }
    }
    if (kept > CAP) {
      headEnd = Math.min(headEnd, Math.max(CAP / 2, CAP - (wrote - tailStart)));
      tailStart = Math.max(tailStart, wrote - (CAP - headEnd));
    }
    tailStart = Math.max(tailStart, headEnd);
    ByteString head = read(output, stream, 0, headEnd);
    ByteString tail = read(output, stream, tailStart, wrote);
    boolean whole = head.size() == headEnd && tail.size() == wrote - tailStart;
    return whole
        ? new Collected(head.concat(tail), headEnd, tailStart)
        : new Collected(head, head.size(), wrote);
  }

  /**
   * What is answered of a stream.
   *
   * @param from first byte that is missing
   * @param to the byte after the last one that is missing
   */
  private record Collected(ByteString bytes, long from, long to) {}

  private static ByteString read(Output output, OutputStream stream, long from, long to)
      throws IOException {
    ByteString all = ByteString.EMPTY;
    while (from + all.size() < to) {
      ByteString next =
          switch (output.next(stream, from + all.size())) {
            case Next.Bytes part -> part.bytes();
            case Next.Stored part -> output.stored(stream, part);
            case Next.None _, Next.Gap _ -> ByteString.EMPTY;
          };
      if (next.isEmpty()) {
        return all;
      }
      all = all.concat(next.substring(0, (int) Math.min(next.size(), to - from - all.size())));
    }
    return all;
  }

  private static long wrote(ExecResult result, OutputStream stream) {
    return stream == OutputStream.OUTPUT_STREAM_STDERR
        ? result.getStderrBytes()
        : result.getStdoutBytes();
  }

  private static ExecResult result(ExecResult known, Collected stdout, Collected stderr) {
    List<ExecTruncated> missing = new ArrayList<>(2);
    cut(missing, OutputStream.OUTPUT_STREAM_STDOUT, stdout);
    cut(missing, OutputStream.OUTPUT_STREAM_STDERR, stderr);
    ExecResult full = known.toBuilder().setStdout(stdout.bytes()).setStderr(stderr.bytes()).build();
    return Results.missing(full, missing);
  }

  private static void cut(List<ExecTruncated> missing, OutputStream stream, Collected collected) {
    if (collected.from() < collected.to()) {
      missing.add(Output.gap(stream, collected.from(), collected.to()));
    }
  }
}
