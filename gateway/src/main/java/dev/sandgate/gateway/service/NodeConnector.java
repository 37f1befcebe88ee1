// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.proto.http2.ResetLimits;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientOptions;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.ServiceMethod;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one node, made when needed. Whoever takes it and then says nothing is given up after a while: Vert.x
 * would wait for ever for its settings, and could only be told to stop by closing the whole client, which a new one
 * replaces. A client has one connection, so no other call is lost with it. Thread-safe.
 */
final class NodeConnector {

  private static final int CONNECTION_WINDOW = 16 << 20;
  private static final long MAX_ANSWER_BYTES = 16 << 20;
  private static final long READY_MILLIS = 200;

  private final Vertx vertx;
  private final SocketAddress address;
  private final Duration connect;
  private final Promise<Void> idle = Promise.promise();

  private @Nullable GrpcClient current;
  private boolean closed;
  private int connecting;

  /** Not connected yet; a connection is ready within that time or given up. */
  NodeConnector(Vertx vertx, SocketAddress address, Duration connect) {
    this.vertx = vertx;
    this.address = address;
    this.connect = connect;
  }

  private synchronized @Nullable GrpcClient client() {
    if (current == null && !closed) {
      current = made();
    }
    return current;
  }

  private GrpcClient made() {
    HttpClientOptions options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false)
            .setTcpNoDelay(true)
            .setConnectTimeout(Math.toIntExact(connect.toMillis()))
            .setHttp2ConnectionWindowSize(CONNECTION_WINDOW);
    return GrpcClient.client(
        vertx, new GrpcClientOptions().setMaxMessageSize(MAX_ANSWER_BYTES), options);
  }

  /** Begins a call, of which nothing was sent when this fails. */
  <Q, A> Future<GrpcClientRequest<Q, A>> begin(ServiceMethod<A, Q> method) {
    GrpcClient client = client();
    if (client == null) {
      return Future.failedFuture("the gateway is closing");
    }
    Promise<GrpcClientRequest<Q, A>> begun = Promise.promise();
    long timer = vertx.setTimer(connect.toMillis(), _ -> giveUp(client, begun));
    requested(client, method)
        .onComplete(
            request -> {
              vertx.cancelTimer(timer);
              if (request.failed()) {
                begun.tryFail(request.cause());
                return;
              }
              ResetLimits.lift(request.result().connection());
              if (!begun.tryComplete(request.result())) {
                request.result().cancel();
              }
            });
    return begun.future();
  }

  private synchronized <Q, A> Future<GrpcClientRequest<Q, A>> requested(
      GrpcClient client, ServiceMethod<A, Q> method) {
    if (!Objects.equals(current, client)) {
      return Future.failedFuture("the connection is being closed");
    }
    connecting++;
    return client.<Q, A>request(address, method).onComplete(_ -> connected());
  }

  private synchronized void connected() {
    connecting--;
    if (closed && connecting == 0) {
      idle.tryComplete();
    }
  }

  private void giveUp(GrpcClient client, Promise<?> begun) {
    if (begun.tryFail(new TimeoutException("it takes connections and does not answer"))) {
      forget(client);
    }
  }

  private synchronized void forget(GrpcClient client) {
    if (Objects.equals(current, client)) {
      current = null;
      client.close();
    }
  }

  /**
   * Gives up whatever is under way. Connections that are being made are waited for, a moment: Vert.x's client, closed just when one
   * is ready, never says that it is closed (its pool reads who asked for the connection twice).
   */
  synchronized Future<Void> close() {
    GrpcClient last = current;
    closed = true;
    current = null;
    if (last == null) {
      return Future.succeededFuture();
    }
    if (connecting == 0) {
      return last.close();
    }
    long timer = vertx.setTimer(READY_MILLIS, _ -> idle.tryComplete());
    return idle.future().onComplete(_ -> vertx.cancelTimer(timer)).compose(_ -> last.close());
  }
}
