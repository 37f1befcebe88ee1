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
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.spi.Capability;
import io.smallrye.mutiny.Uni;
import java.io.IOException;

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
        .map(done -> done.result().toBuilder().setFsChanges(done.changes()).build());
  }

  private Uni<ExecResult> plain(RunExecRequest request) {
    Command command = command(request);
    return Uni.createFrom()
        .completionStage(() -> execs.started(request.getSandboxId(), request.getExecId(), command))
        .invoke(record -> feed(record, request))
        .flatMap(
            record ->
                Uni.createFrom().completionStage(record.ended()).flatMap(_ -> answer(record)));
  }

  /** The call itself reads all output, so that nothing needs to wait for a reader. */
  private static Command command(RunExecRequest request) {
    Command asked = request.getCommand();
    if (asked.getStdin() && request.getStdin().isEmpty()) {
      throw invalid("command.stdin", "Run writes stdin by itself; put the bytes into stdin");
    }
    return asked.toBuilder()
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
    Next out = output.next(OutputStream.OUTPUT_STREAM_STDOUT, 0);
    Next err = output.next(OutputStream.OUTPUT_STREAM_STDERR, 0);
    if (whole(record, OutputStream.OUTPUT_STREAM_STDOUT, out)
        && whole(record, OutputStream.OUTPUT_STREAM_STDERR, err)) {
      return Uni.createFrom().item(result(record, bytes(out), bytes(err)));
    }
    return Blocking.call(
        () ->
            result(
                record,
                collect(output, OutputStream.OUTPUT_STREAM_STDOUT),
                collect(output, OutputStream.OUTPUT_STREAM_STDERR)));
  }

  private static boolean whole(ExecRecord record, OutputStream stream, Next first) {
    return switch (first) {
      case Next.None _ -> true;
      case Next.Bytes part -> part.bytes().size() == record.output().produced(stream);
      case Next.Gap _, Next.Stored _ -> false;
    };
  }

  private static ByteString bytes(Next next) {
    return next instanceof Next.Bytes part ? part.bytes() : ByteString.EMPTY;
  }

  private static ByteString collect(Output output, OutputStream stream) throws IOException {
    ByteString all = ByteString.EMPTY;
    long position = 0;
    while (all.size() < CAP) {
      switch (output.next(stream, position)) {
        case Next.None _ -> {
          return all;
        }
        case Next.Bytes part -> all = all.concat(part.bytes());
        case Next.Stored part -> all = all.concat(output.stored(stream, part));
        case Next.Gap _ -> {
          return all;
        }
      }
      position = all.size();
    }
    return all.substring(0, CAP);
  }

  private static ExecResult result(ExecRecord record, ByteString stdout, ByteString stderr) {
    ExecResult known = java.util.Objects.requireNonNull(record.result());
    ExecResult.Builder result = known.toBuilder().setStdout(stdout).setStderr(stderr);
    result.clearTruncated();
    cut(result, OutputStream.OUTPUT_STREAM_STDOUT, stdout.size(), known.getStdoutBytes());
    cut(result, OutputStream.OUTPUT_STREAM_STDERR, stderr.size(), known.getStderrBytes());
    return result.build();
  }

  private static void cut(ExecResult.Builder result, OutputStream stream, long have, long wrote) {
    if (have < wrote) {
      result.addTruncated(Output.gap(stream, have, wrote));
    }
  }
}
