// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import dev.sandgate.proto.http2.ResetLimits;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One call. Answers come only as {@link #fetch} asks for them, which the other side feels as HTTP/2 flow control.
 *
 * <p>Every method may be called from any thread; all state but the queue is touched on the lane's event loop only.
 *
 * @param <Q> the type of the requests
 * @param <R> the type of the answers
 */
public final class RpcCall<Q, R> {

  private final ContextInternal context;
  private final RpcObserver<R> observer;
  private final Queue<Outgoing<Q>> queue = new ConcurrentLinkedQueue<>();
  private @Nullable GrpcClientRequest<Q, R> request;
  private @Nullable GrpcClientResponse<Q, R> response;
  private long demand;
  private boolean ended;
  private long deadlineTimer = -1;

  private record Outgoing<Q>(@Nullable Q message, boolean end, Promise<Void> written) {}

  RpcCall(ContextInternal context, RpcObserver<R> observer) {
    this.context = context;
    this.observer = observer;
  }

  /**
   * Asks for more answers.
   *
   * @param count how many more, at least 1; Long.MAX_VALUE for all
   */
  public void fetch(long count) {
    context.execute(
        () -> {
          demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
          if (response != null) {
            response.fetch(count);
          }
        });
  }

  /**
   * Sends a request message.
   *
   * @param message the message
   * @return completes when it went to the transport, which takes no more than its window; fails with RpcFailure
   */
  public Future<Void> write(Q message) {
    return enqueue(new Outgoing<>(message, false, context.promise()));
  }

  /**
   * Sends the last request message.
   *
   * @param message the message
   * @return as {@link #write}
   */
  public Future<Void> end(Q message) {
    return enqueue(new Outgoing<>(message, true, context.promise()));
  }

  /**
   * Ends the requests; answers may still come.
   *
   * @return as {@link #write}
   */
  public Future<Void> end() {
    return enqueue(new Outgoing<>(null, true, context.promise()));
  }

  /** Gives up: resets the stream. The observer hears nothing more. Idempotent. */
  public void cancel() {
    context.execute(
        () -> {
          if (!ended) {
            ended = true;
            stopDeadline();
            dropQueue(RpcFailure.broken(GrpcStatus.CANCELLED, "cancelled by the caller", null));
            resetRequest();
          }
        });
  }

  /**
   * Ends the call with DEADLINE_EXCEEDED unless it ends before.
   *
   * @param after from now; zero for never
   */
  public void limit(Duration after) {
    if (after.isPositive()) {
      context.execute(() -> startDeadline(after));
    }
  }

  private void startDeadline(Duration after) {
    if (!ended) {
      String message = "no answer within " + after.toMillis() + " ms";
      deadlineTimer =
          context.setTimer(
              Math.max(1, after.toMillis()),
              timer -> abort(RpcFailure.broken(GrpcStatus.DEADLINE_EXCEEDED, message, null)));
    }
  }

  private void stopDeadline() {
    if (deadlineTimer != -1) {
      context.owner().cancelTimer(deadlineTimer);
    }
  }

  /**
   * Gives up because the requests could not be made: resets the stream and ends the call.
   *
   * @param cause why
   */
  public void abort(Throwable cause) {
    context.execute(() -> abort(RpcFailure.ofCaller(cause)));
  }

  void opened(AsyncResult<GrpcClientRequest<Q, R>> opened, String key, Duration silence) {
    if (opened.failed()) {
      finish(Failures.connect(opened.cause()));
      return;
    }
    GrpcClientRequest<Q, R> stream = opened.result();
    request = stream;
    ResetLimits.lift(stream.connection());
    KeepAlive.watch(stream.connection(), silence);
    if (ended) {
      resetRequest();
      return;
    }
    try {
      stream.headers().set("authorization", "Bearer " + key);
      stream.exceptionHandler(error -> finish(Failures.lost(error)));
      stream.response().onComplete(this::answered);
      flush();
    } catch (RuntimeException e) {
      abort(RpcFailure.unsent("the request cannot be made: " + e.getClass().getSimpleName(), e));
    }
  }

  private void answered(AsyncResult<GrpcClientResponse<Q, R>> answer) {
    if (answer.failed()) {
      finish(Failures.lost(answer.cause()));
      return;
    }
    GrpcClientResponse<Q, R> stream = answer.result();
    response = stream;
    stream.pause();
    stream.handler(this::received);
    stream.errorHandler(error -> finish(Failures.reset(error)));
    stream.exceptionHandler(error -> finish(Failures.lost(error)));
    stream.endHandler(end -> finish(Failures.status(stream)));
    if (demand > 0) {
      stream.fetch(demand);
    }
  }

  private void received(R message) {
    if (!ended) {
      observer.message(message);
    }
  }

  void finish(@Nullable RpcFailure failure) {
    if (ended) {
      return;
    }
    ended = true;
    stopDeadline();
    if (failure == null) {
      dropQueue();
    } else {
      dropQueue(failure);
    }
    observer.end(failure);
  }

  private void abort(RpcFailure failure) {
    if (!ended) {
      finish(failure);
      resetRequest();
    }
  }

  // Queued on the caller's thread, so that messages leave in the order in which they were given.
  private Future<Void> enqueue(Outgoing<Q> outgoing) {
    queue.add(outgoing);
    context.execute(this::flush);
    return outgoing.written().future();
  }

  private void flush() {
    GrpcClientRequest<Q, R> stream = request;
    if (ended) {
      dropQueue();
    }
    Outgoing<Q> next = stream == null ? null : queue.poll();
    while (stream != null && next != null) {
      sendQueued(stream, next);
      next = queue.poll();
    }
  }

  private void sendQueued(GrpcClientRequest<Q, R> stream, Outgoing<Q> next) {
    try {
      send(stream, next).onComplete(next.written());
    } catch (IllegalStateException closed) {
      next.written().fail(Failures.lost(closed));
    }
  }

  private Future<Void> send(GrpcClientRequest<Q, R> stream, Outgoing<Q> next) {
    Q message = next.message();
    if (message == null) {
      return stream.end();
    }
    return next.end() ? stream.end(message) : stream.write(message);
  }

  private void dropQueue() {
    if (!queue.isEmpty()) {
      dropQueue(RpcFailure.broken(GrpcStatus.CANCELLED, "the call ended", null));
    }
  }

  private void dropQueue(RpcFailure failure) {
    for (Outgoing<Q> next = queue.poll(); next != null; next = queue.poll()) {
      next.written().fail(failure);
    }
  }

  private void resetRequest() {
    if (request != null) {
      request.cancel();
    }
  }
}
