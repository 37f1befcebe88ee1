// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.Any;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A gRPC server over real sockets behind a TCP relay whose connections a test can cut. */
final class FakeGateway implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final GrpcServer grpc = GrpcServer.server(vertx);
  private final HttpServer http =
      vertx
          .createHttpServer(new HttpServerOptions().setHttp2RstFloodMaxRstFramePerWindow(100_000))
          .requestHandler(grpc);
  private final NetClient upstream = vertx.createNetClient();
  private final NetServer relay = vertx.createNetServer();
  private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean refusing;

  FakeGateway() {
    int port = get(http.listen(0, "127.0.0.1")).actualPort();
    relay.connectHandler(socket -> forward(socket, port));
    get(relay.listen(0, "127.0.0.1"));
  }

  private void forward(NetSocket socket, int port) {
    if (refusing) {
      socket.close();
      return;
    }
    sockets.add(socket);
    socket.closeHandler(closed -> sockets.remove(socket));
    socket.pause();
    upstream
        .connect(port, "127.0.0.1")
        .onSuccess(
            target -> {
              socket.closeHandler(closed -> target.close());
              target.pipeTo(socket);
              socket.pipeTo(target);
            });
  }

  <Q, R> void on(ServiceMethod<Q, R> method, Handler<GrpcServerRequest<Q, R>> handler) {
    grpc.callHandler(method, handler);
  }

  /** Fails a call as the platform does. */
  static void fail(
      GrpcServerResponse<?, ?> response, GrpcStatus status, String message, ErrorDetail detail) {
    Status details =
        Status.newBuilder()
            .setCode(status.code)
            .setMessage(message)
            .addDetails(Any.pack(detail))
            .build();
    response
        .trailers()
        .set(
            "grpc-status-details-bin",
            Base64.getEncoder().withoutPadding().encodeToString(details.toByteArray()));
    response.status(status).statusMessage(message);
    response.end();
  }

  /** Cuts every connection, without a good-bye. */
  void cut() {
    sockets.forEach(NetSocket::close);
  }

  /** Takes nothing more from the connections that are there, and tells nobody. */
  void fallSilent() {
    sockets.forEach(NetSocket::pause);
  }

  /** Takes what comes again. */
  void hearAgain() {
    sockets.forEach(NetSocket::resume);
  }

  /** Refuses new connections from now on. */
  void refuse() {
    refusing = true;
  }

  String uri() {
    return "http://127.0.0.1:" + relay.actualPort();
  }

  Sandgate client() {
    return client(Duration.ofSeconds(10));
  }

  Sandgate client(Duration reconnect) {
    return Sandgate.connect(ClientOptions.of(uri(), "sgk_test").withReconnectTimeout(reconnect));
  }

  @Override
  public void close() {
    get(vertx.close());
  }

  private static <T> T get(io.vertx.core.Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
