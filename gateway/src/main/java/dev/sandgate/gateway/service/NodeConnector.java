// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

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
import java.util.Optional;
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

  private final Vertx vertx;
  private final SocketAddress address;
  private final Duration connect;

  private @Nullable GrpcClient current;
  private boolean closed;

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
              } else if (!begun.tryComplete(request.result())) {
                request.result().cancel();
              }
            });
    return begun.future();
  }

  private <Q, A> Future<GrpcClientRequest<Q, A>> requested(
      GrpcClient client, ServiceMethod<A, Q> method) {
    try {
      return client.request(address, method);
    } catch (IllegalStateException closed) {
      return Future.failedFuture(closed);
    }
  }

  private void giveUp(GrpcClient client, Promise<?> begun) {
    if (begun.tryFail(new TimeoutException("it takes connections and does not answer"))
        && forgets(client)) {
      client.close();
    }
  }

  private synchronized boolean forgets(GrpcClient client) {
    boolean mine = Objects.equals(current, client);
    if (mine) {
      current = null;
    }
    return mine;
  }

  /** Gives up whatever is under way. */
  Future<Void> close() {
    return closing().map(GrpcClient::close).orElseGet(Future::succeededFuture);
  }

  private synchronized Optional<GrpcClient> closing() {
    closed = true;
    Optional<GrpcClient> last = Optional.ofNullable(current);
    current = null;
    return last;
  }
}
