// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import com.google.protobuf.ByteString;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.proto.http2.StreamFaults;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutput;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecStarted;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A node that runs nothing but answers: Interact echoes, Start floods, Run returns its stdin or fails as told. */
public final class TestNode implements AutoCloseable {

  private static final int CHUNK = 32 << 10;

  /** Calls of execs that began, not those with which a gateway asks for health. */
  public final AtomicInteger began = new AtomicInteger();

  /** Streams that were reset. */
  public final AtomicInteger resets = new AtomicInteger();

  /** Bytes that floods have written. */
  public final AtomicLong flooded = new AtomicLong();

  /** Requests without the node's token. */
  public final AtomicInteger strangers = new AtomicInteger();

  private final Queue<HttpConnection> connections = new ConcurrentLinkedQueue<>();
  private final String id;
  private final GrpcServer grpc;
  private final HttpServer server;

  private TestNode(Vertx vertx, String id, int port) {
    this.id = id;
    grpc = GrpcServer.server(vertx);
    grpc.callHandler(ExecsGrpcService.Interact, this::echo);
    grpc.callHandler(ExecsGrpcService.Start, this::flood);
    grpc.callHandler(ExecsGrpcService.Run, this::run);
    server =
        Await.result(
            vertx
                .createHttpServer(options().setHost("127.0.0.1").setPort(port))
                .connectionHandler(
                    connection -> {
                      StreamFaults.contain(connection);
                      connections.add(connection);
                    })
                .requestHandler(this::handle)
                .listen());
  }

  /** A node on a free port. */
  public static TestNode start(Vertx vertx, String id) {
    return new TestNode(vertx, id, 0);
  }

  /** A node on a known port. */
  public static TestNode start(Vertx vertx, String id, int port) {
    return new TestNode(vertx, id, port);
  }

  private static HttpServerOptions options() {
    return new HttpServerOptions()
        .setHttp2ConnectionWindowSize(16 << 20)
        .setHttp2RstFloodMaxRstFramePerWindow(100_000)
        .setInitialSettings(
            new Http2Settings().setMaxConcurrentStreams(200_000).setMaxHeaderListSize(32 << 10));
  }

  /** Lets it answer more methods. */
  public GrpcServer grpc() {
    return grpc;
  }

  /** Where it is. */
  public NodeAddress address() {
    return new NodeAddress(id, "127.0.0.1", server.actualPort(), TestGateway.TOKEN);
  }

  private void handle(HttpServerRequest request) {
    if (request.uri().startsWith("/sandgate.v1.Execs/")) {
      began.incrementAndGet();
    }
    if (!("Bearer " + TestGateway.TOKEN).equals(request.getHeader("authorization"))) {
      strangers.incrementAndGet();
    }
    grpc.handle(request);
  }

  /** Counts a call that its caller gives up. */
  static void onReset(GrpcServerRequest<?, ?> request, AtomicInteger counter) {
    AtomicBoolean once = new AtomicBoolean();
    Handler<Object> reset =
        _ -> {
          if (!once.getAndSet(true)) {
            counter.incrementAndGet();
          }
        };
    request.errorHandler(reset::handle);
    request.response().exceptionHandler(reset::handle);
  }

  private void echo(GrpcServerRequest<InteractRequest, ExecEvent> request) {
    onReset(request, resets);
    GrpcServerResponse<InteractRequest, ExecEvent> response = request.response();
    response.write(ExecEvent.newBuilder().setStarted(ExecStarted.newBuilder().setPid(1)).build());
    request.handler(
        message ->
            response.write(output(message.getStdin().getOffset(), message.getStdin().getData())));
    request.endHandler(_ -> response.end(exited(0)));
  }

  private void flood(GrpcServerRequest<StartExecRequest, ExecEvent> request) {
    onReset(request, resets);
    request.handler(
        message -> {
          long bytes = Long.parseLong(message.getCommand().getArgv(0));
          pump(request.response(), new long[] {0, bytes});
        });
  }

  private void pump(GrpcServerResponse<StartExecRequest, ExecEvent> response, long[] state) {
    while (state[0] < state[1]) {
      if (response.writeQueueFull()) {
        response.drainHandler(_ -> pump(response, state));
        return;
      }
      int length = (int) Math.min(CHUNK, state[1] - state[0]);
      response.write(output(state[0], ByteString.copyFrom(pattern(state[0], length))));
      state[0] += length;
      flooded.addAndGet(length);
    }
    response.end(exited(0));
  }

  /** What a flood has at an offset. */
  public static byte[] pattern(long offset, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      long at = offset + i;
      bytes[i] = (byte) (at * 31 + (at >>> 8) * 17 + (at >>> 16));
    }
    return bytes;
  }

  private void run(GrpcServerRequest<RunExecRequest, ExecResult> request) {
    onReset(request, resets);
    request.handler(
        message -> {
          GrpcServerResponse<RunExecRequest, ExecResult> response = request.response();
          if (message.getExecId().equals("fail")) {
            response.status(GrpcStatus.ABORTED).statusMessage("sandbox lost: ü");
            response.trailers().set("grpc-status-details-bin", "AAECAw");
            response.end();
          } else if (!message.getExecId().equals("hang")) {
            String metadata = request.headers().get("x-large");
            response.end(
                ExecResult.newBuilder()
                    .setExecId(id)
                    .setStdout(message.getStdin())
                    .setStdoutBytes(metadata == null ? 0 : metadata.length())
                    .build());
          }
        });
  }

  private static ExecEvent output(long offset, ByteString data) {
    return ExecEvent.newBuilder()
        .setOutput(ExecOutput.newBuilder().setOffset(offset).setData(data))
        .build();
  }

  private static ExecEvent exited(int code) {
    return ExecEvent.newBuilder().setExited(ExecResult.newBuilder().setExitCode(code)).build();
  }

  /** Cuts every connection off, as a crash does, and closes the port. */
  public void kill() {
    connections.forEach(
        connection -> ((ConnectionBase) connection).channel().close().syncUninterruptibly());
    close();
  }

  /** Closes the port and every connection. */
  @Override
  public void close() {
    Await.result(server.close());
  }
}
