// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecOutput;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecStarted;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.OutputStream;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import picocli.CommandLine;

/**
 * The build runs this once to record which classes {@code sandgate exec} and {@code sandgate ls} load and link (JEP 483, 514), so that
 * every start after it finds them ready. It answers the command line's calls from this process, without a gateway, a node or rights.
 */
public final class StartupRehearsal {

  private static final ByteString HELLO = ByteString.copyFromUtf8("hello\n");

  private StartupRehearsal() {}

  /** Ends with 0 when the command ran. */
  public static void main(String[] arguments) {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    String url = "http://127.0.0.1:" + listen(vertx);
    CommandLine line = SandgateCommand.commandLine();
    line.execute(
        "ls", "--key=rehearsal", "--url=" + url); // refused: the way of a failure is rehearsed, too
    int code =
        line.execute("exec", "--key=rehearsal", "--url=" + url, "sb-rehearsal-1", "--", "echo");
    vertx.close().await();
    System.exit(code);
  }

  private static int listen(Vertx vertx) {
    GrpcServer grpc = GrpcServer.server(vertx);
    grpc.callHandler(ExecsGrpcService.Interact, StartupRehearsal::answer);
    return vertx
        .createHttpServer()
        .requestHandler(grpc)
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  private static void answer(GrpcServerRequest<InteractRequest, ExecEvent> call) {
    call.response()
        .write(ExecEvent.newBuilder().setStarted(ExecStarted.newBuilder().setPid(1)).build());
    call.response()
        .write(
            ExecEvent.newBuilder()
                .setOutput(
                    ExecOutput.newBuilder()
                        .setStream(OutputStream.OUTPUT_STREAM_STDOUT)
                        .setData(HELLO))
                .build());
    call.response()
        .end(
            ExecEvent.newBuilder()
                .setExited(
                    ExecResult.newBuilder()
                        .setOutcome(ExecOutcome.EXEC_OUTCOME_EXITED)
                        .setStdoutBytes(HELLO.size()))
                .build());
  }
}
