// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.gateway.relay.NodeAddress;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Calls one node. Thread-safe. */
final class NodeClient {

  private static final long RETRY_MILLIS = 1_000;
  private static final String DETAILS = "grpc-status-details-bin";

  private final Vertx vertx;
  private final NodeConnector connector;
  private final NodeAddress node;
  private final Duration silence;

  /** Not connected yet. */
  NodeClient(Vertx vertx, NodeAddress node, OwnServices.Times times) {
    this.vertx = vertx;
    this.node = node;
    silence = times.silence();
    SocketAddress address = SocketAddress.inetSocketAddress(node.port(), node.host());
    connector = new NodeConnector(vertx, address, times.connect());
  }

  String nodeId() {
    return node.nodeId();
  }

  /** Fails what is under way. */
  Future<Void> close() {
    return connector.close();
  }

  /** Begins a call; fails with NODE_UNREACHABLE, in which case the node has seen nothing of it. */
  <Q, A> Future<GrpcClientRequest<Q, A>> begin(ServiceMethod<A, Q> method) {
    return connector
        .<Q, A>begin(method)
        .recover(
            failure -> Future.failedFuture(CallFailed.neverSent(unreachable(failure).notSent())))
        .onSuccess(
            request -> {
              KeepAlive.watch(request.connection(), silence);
              request.headers().set("authorization", "Bearer " + node.token());
            });
  }

  /**
   * Makes a call with one message and one answer. Fails with a {@link CallFailed}; is cancelled when the caller leaves
   * or the time is over.
   */
  <Q, A> Future<A> ask(ServiceMethod<A, Q> method, Q message, long timeoutMillis, Caller caller) {
    Promise<A> result = Promise.promise();
    AtomicReference<@Nullable GrpcClientRequest<Q, A>> begun = new AtomicReference<>();
    long timer = vertx.setTimer(timeoutMillis, _ -> giveUp(begun, result, Call.late()));
    result.future().onComplete(_ -> vertx.cancelTimer(timer));
    Runnable forget = caller.whenGone(() -> giveUp(begun, result, gone()));
    result.future().onComplete(_ -> forget.run());
    this.<Q, A>begin(method)
        .onFailure(result::tryFail)
        .onSuccess(
            request -> {
              begun.set(request);
              if (result.future().isComplete()) {
                request.cancel();
              } else {
                request.timeout(timeoutMillis, TimeUnit.MILLISECONDS);
                send(request, message, result);
              }
            });
    return result.future();
  }

  private <Q, A> void send(GrpcClientRequest<Q, A> request, Q message, Promise<A> result) {
    request.end(message);
    request
        .response()
        .onFailure(failure -> result.tryFail(lost(failure)))
        .onSuccess(response -> collect(response, result));
  }

  private static <R extends GrpcClientRequest<?, ?>> void giveUp(
      AtomicReference<@Nullable R> begun, Promise<?> result, CallFailed why) {
    R request = result.tryFail(why) ? begun.get() : null;
    if (request != null) {
      request.cancel();
    }
  }

  private static CallFailed gone() {
    return new CallFailed(Failure.of(Code.CANCELLED, "the caller gave up"));
  }

  private <Q, A> void collect(GrpcClientResponse<Q, A> response, Promise<A> result) {
    var seen =
        new Object() {
          @Nullable A answer;
        };
    response.handler(answer -> seen.answer = answer);
    ended(response)
        .onFailure(result::tryFail)
        .onSuccess(
            _ -> {
              if (seen.answer == null) {
                result.tryFail(lost(new IllegalStateException("an answer without a message")));
              } else {
                result.tryComplete(seen.answer);
              }
            });
  }

  /** Completes when a response ended well, and fails with a {@link CallFailed} when it ended otherwise. */
  Future<Void> ended(GrpcClientResponse<?, ?> response) {
    return response
        .end()
        .transform(
            end -> {
              GrpcStatus status = response.status();
              if (status == null) {
                return Future.failedFuture(lost(end.cause()));
              }
              return status == GrpcStatus.OK
                  ? Future.succeededFuture()
                  : Future.failedFuture(failed(response, status));
            });
  }

  private CallFailed failed(GrpcClientResponse<?, ?> response, GrpcStatus status) {
    String encoded = response.trailers().get(DETAILS);
    if (encoded == null) {
      encoded = response.headers().get(DETAILS);
    }
    String said = StatusText.of(response);
    String message = said.isEmpty() ? "node " + node.nodeId() + " gave no reason" : said;
    return new CallFailed(new Failure(status, message, detail(encoded, status)));
  }

  private ErrorDetail detail(@Nullable String encoded, GrpcStatus status) {
    ErrorDetail unknown =
        ErrorDetail.newBuilder().setCode(status.name()).setNodeId(node.nodeId()).build();
    if (encoded == null) {
      return unknown;
    }
    try {
      for (Any detail : Status.parseFrom(Base64.getDecoder().decode(encoded)).getDetailsList()) {
        if (detail.is(ErrorDetail.class)) {
          return detail.unpack(ErrorDetail.class);
        }
      }
      return unknown;
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return unknown;
    }
  }

  /** What a call is told that was sent and then cut off. */
  CallFailed lost(@Nullable Throwable cause) {
    return new CallFailed(unreachable(cause));
  }

  private Failure unreachable(@Nullable Throwable cause) {
    Failure failure = Failure.unreachable(node.nodeId(), RETRY_MILLIS);
    String why = cause == null ? "" : " (" + cause.getMessage() + ")";
    return new Failure(failure.status(), failure.message() + why, failure.detail());
  }
}
