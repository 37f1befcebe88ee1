// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecOutput;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecStarted;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.StdinAccepted;

/** Messages that a node sends. */
final class Events {

  private Events() {}

  static ExecEvent started(long stdinOffset) {
    return ExecEvent.newBuilder()
        .setStarted(ExecStarted.newBuilder().setExecId("e").setPid(7).setStdinOffset(stdinOffset))
        .build();
  }

  static ExecEvent stdout(long offset, String text) {
    return output(OutputStream.OUTPUT_STREAM_STDOUT, offset, ByteString.copyFromUtf8(text));
  }

  static ExecEvent stderr(long offset, String text) {
    return output(OutputStream.OUTPUT_STREAM_STDERR, offset, ByteString.copyFromUtf8(text));
  }

  static ExecEvent output(OutputStream stream, long offset, ByteString data) {
    return ExecEvent.newBuilder()
        .setOutput(ExecOutput.newBuilder().setStream(stream).setOffset(offset).setData(data))
        .build();
  }

  static ExecEvent accepted(long offset, boolean closed) {
    return ExecEvent.newBuilder()
        .setStdinAccepted(StdinAccepted.newBuilder().setOffset(offset).setClosed(closed))
        .build();
  }

  static ExecEvent exited(ExecOutcome outcome, int code) {
    return ExecEvent.newBuilder()
        .setExited(ExecResult.newBuilder().setExecId("e").setOutcome(outcome).setExitCode(code))
        .build();
  }

  static ExecEvent exited(int code) {
    return exited(ExecOutcome.EXEC_OUTCOME_EXITED, code);
  }
}
