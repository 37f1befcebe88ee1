// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import com.google.protobuf.MessageLite;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One call: sends requests, takes answers one at a time, so that an answer not taken is not read either. */
public final class Answers<Q extends MessageLite, A extends MessageLite> {

  private final GrpcClientRequest<Q, A> request;
  private final CompletableFuture<GrpcClientResponse<Q, A>> response = new CompletableFuture<>();
  private final LinkedBlockingQueue<Object> events = new LinkedBlockingQueue<>();

  private record End() {}

  Answers(GrpcClientRequest<Q, A> request) {
    this.request = request;
    request.exceptionHandler(this::broken);
    request.response().onComplete(this::opened, this::broken);
  }

  /** Sends a request. */
  public void send(Q message) {
    Rpc.await(request.write(message).toCompletionStage().toCompletableFuture());
  }

  /** Sends the last request. */
  public void end(Q message) {
    Rpc.await(request.end(message).toCompletionStage().toCompletableFuture());
  }

  /** Ends the requests. */
  public void end() {
    Rpc.await(request.end().toCompletionStage().toCompletableFuture());
  }

  /** Gives the call up. */
  public void cancel() {
    request.cancel();
  }

  /** The next answer, or empty at the end; throws {@link Rpc.Failed} when the call failed. */
  public Optional<A> next() {
    GrpcClientResponse<Q, A> open = Rpc.await(response.copy());
    open.fetch(1);
    Object event;
    try {
      event = events.poll(Rpc.PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return switch (event) {
      case null -> throw new AssertionError("no answer within " + Rpc.PATIENCE_SECONDS + " s");
      case End _ when open.status() != GrpcStatus.OK -> throw Rpc.failed(open);
      case End _ -> Optional.empty();
      case Throwable failure -> throw new IllegalStateException("the call broke", failure);
      default -> Optional.of(answer(event));
    };
  }

  /** All answers that are left. */
  public List<A> rest() {
    List<A> all = new ArrayList<>();
    for (Optional<A> next = next(); next.isPresent(); next = next()) {
      all.add(next.get());
    }
    return all;
  }

  /** The one answer. */
  public A only() {
    List<A> all = rest();
    if (all.size() != 1) {
      throw new AssertionError(all.size() + " answers instead of one");
    }
    return all.getFirst();
  }

  @SuppressWarnings("unchecked") // only answers and the two kinds of ends are put into the queue
  private A answer(Object event) {
    return (A) event;
  }

  private void opened(GrpcClientResponse<Q, A> open) {
    open.pause();
    open.handler(events::add);
    open.endHandler(_ -> events.add(new End()));
    open.exceptionHandler(this::broken);
    open.errorHandler(error -> broken(new IllegalStateException(error.toString())));
    response.complete(open);
  }

  private void broken(Throwable failure) {
    if (!response.completeExceptionally(failure)) {
      events.add(failure);
    }
  }
}
