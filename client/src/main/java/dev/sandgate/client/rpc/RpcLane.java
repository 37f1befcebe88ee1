// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.ServiceMethod;
import java.time.Duration;
import java.util.function.Supplier;

/** One HTTP/2 connection, made when needed and again when lost, and the event loop that serves it. */
public final class RpcLane {

  private final ContextInternal context;
  private final Supplier<GrpcClient> maker;
  private final SocketAddress server;
  private final String key;
  private final Duration silence;
  private volatile GrpcClient grpc;

  RpcLane(
      ContextInternal context,
      Supplier<GrpcClient> maker,
      SocketAddress server,
      String key,
      Duration silence) {
    this.context = context;
    this.maker = maker;
    this.grpc = maker.get();
    this.server = server;
    this.key = key;
    this.silence = silence;
  }

  /**
   * Opens a call without a deadline.
   *
   * @param method what to call
   * @param observer hears the answers, on this lane's event loop
   * @param <Q> the type of the requests
   * @param <R> the type of the answers
   * @return the call, connecting
   */
  public <Q, R> RpcCall<Q, R> call(ServiceMethod<R, Q> method, RpcObserver<R> observer) {
    RpcCall<Q, R> call = new RpcCall<>(context, observer);
    context.execute(() -> open(method).onComplete(opened -> call.opened(opened, key, silence)));
    return call;
  }

  private <Q, R> Future<GrpcClientRequest<Q, R>> open(ServiceMethod<R, Q> method) {
    GrpcClient used = grpc;
    try {
      return heard(used, used.request(server, method));
    } catch (IllegalStateException closed) {
      return Future.failedFuture(closed);
    }
  }

  // Vert.x waits for ever for a gateway that takes a connection and says nothing on it, and every
  // later call waits with it.
  private <Q, R> Future<GrpcClientRequest<Q, R>> heard(
      GrpcClient used, Future<GrpcClientRequest<Q, R>> opening) {
    if (opening.isComplete()) {
      return opening;
    }
    Promise<GrpcClientRequest<Q, R>> opened = context.promise();
    long limitMillis = 2 * silence.toMillis();
    long timer =
        context.setTimer(
            limitMillis,
            late -> {
              if (opened.tryFail("the gateway said nothing within " + limitMillis + " ms")) {
                replace(used);
              }
            });
    opening.onComplete(
        result -> {
          context.owner().cancelTimer(timer);
          if (result.failed()) {
            opened.tryFail(result.cause());
          } else if (!opened.tryComplete(result.result())) {
            result.result().cancel();
          }
        });
    return opened.future();
  }

  private void replace(GrpcClient silent) {
    if (grpc.equals(silent)) {
      grpc = maker.get();
      silent.close();
    }
  }

  /**
   * Runs something on this lane's event loop; at once when called on it.
   *
   * @param action what to run; it must not block
   */
  public void execute(Runnable action) {
    context.execute(action);
  }

  /**
   * Runs something later on this lane's event loop.
   *
   * @param delay from now, at least 1 ms
   * @param action what to run; it must not block
   */
  public void schedule(Duration delay, Runnable action) {
    context.setTimer(Math.max(1, delay.toMillis()), timer -> action.run());
  }

  Future<Void> close() {
    return grpc.close();
  }
}
