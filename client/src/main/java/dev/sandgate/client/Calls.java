// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.client.rpc.RpcCall;
import dev.sandgate.client.rpc.RpcChannel;
import dev.sandgate.client.rpc.RpcFailure;
import dev.sandgate.client.rpc.RpcLane;
import dev.sandgate.client.rpc.RpcObserver;
import dev.sandgate.client.rpc.RpcStream;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The four shapes of gRPC calls as Uni and Multi, failing with SandgateClientException. */
final class Calls {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final RpcChannel channel;
  private final Duration timeout;
  private final Duration patience;

  /** Patience is how long a call is repeated whose node is away and has not seen it. */
  Calls(RpcChannel channel, Duration timeout, Duration patience) {
    this.channel = channel;
    this.timeout = timeout;
    this.patience = patience;
  }

  RpcLane lane() {
    return channel.lane();
  }

  /** One request, one answer, within the client's call timeout. */
  <Q, R> Uni<R> unary(ServiceMethod<R, Q> method, Q request) {
    return unary(method, request, timeout);
  }

  /** One request, one answer, within a limit; zero for none. */
  <Q, R> Uni<R> unary(ServiceMethod<R, Q> method, Q request, Duration limit) {
    Uni<R> once = single(method, call -> call.end(request), limit);
    return patience.isZero()
        ? once
        : once.onFailure(Calls::worthRepeating)
            .retry()
            .withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
            .expireIn(patience.toMillis())
            .onFailure(Calls::exhausted)
            .transform(Throwable::getCause);
  }

  // Mutiny wraps the last failure when it gives up.
  private static boolean exhausted(Throwable failure) {
    return failure instanceof IllegalStateException
        && failure.getCause() instanceof SandgateClientException;
  }

  private static boolean worthRepeating(Throwable failure) {
    return failure instanceof SandgateClientException known && known.worthRepeating();
  }

  /** Many requests as they come, one answer; no deadline. */
  <Q, R> Uni<R> upload(ServiceMethod<R, Q> method, Multi<Q> requests) {
    return single(
        method, call -> requests.subscribe().withSubscriber(new Upload<>(call)), Duration.ZERO);
  }

  /** One request, many answers as they are wanted; no deadline. */
  <Q, R> Multi<R> stream(ServiceMethod<R, Q> method, Q request) {
    return many(method, call -> call.end(request));
  }

  /** One request of so many items, one answer per item; fails when it ends before. */
  <Q, R> Multi<R> batch(ServiceMethod<R, Q> method, Q request, int items) {
    return Multi.createFrom()
        .deferred(
            () -> {
              AtomicInteger missing = new AtomicInteger(items);
              return stream(method, request)
                  .onItem()
                  .invoke(item -> missing.decrementAndGet())
                  .onCompletion()
                  .call(() -> complete(missing.get()));
            });
  }

  private static Uni<Void> complete(int missing) {
    return missing == 0
        ? Uni.createFrom().voidItem()
        : Uni.createFrom()
            .failure(
                SandgateClientException.unknownOutcome(
                    "the batch ended with " + missing + " items missing", null));
  }

  /** Many requests as they come, many answers as they are wanted; no deadline. */
  <Q, R> Multi<R> duplex(ServiceMethod<R, Q> method, Multi<Q> requests) {
    return many(method, call -> requests.subscribe().withSubscriber(new Upload<>(call)));
  }

  private <Q, R> Multi<R> many(ServiceMethod<R, Q> method, RpcStream.Requests<Q, R> requests) {
    return Multi.createFrom()
        .deferred(() -> Multi.createFrom().publisher(new RpcStream<>(lane(), method, requests)))
        .onFailure()
        .transform(SandgateClientException::of);
  }

  private <Q, R> Uni<R> single(
      ServiceMethod<R, Q> method, RpcStream.Requests<Q, R> requests, Duration limit) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              RpcCall<Q, R> call = lane().call(method, new SingleAnswer<R>(emitter));
              emitter.onTermination(call::cancel);
              call.limit(limit);
              call.fetch(Long.MAX_VALUE);
              requests.send(call);
            });
  }

  /** Completes a Uni when the call ended well, with its one answer. */
  private static final class SingleAnswer<R> implements RpcObserver<R> {

    private final UniEmitter<? super R> emitter;
    private @Nullable R answer;

    SingleAnswer(UniEmitter<? super R> emitter) {
      this.emitter = emitter;
    }

    @Override
    public void message(R message) {
      answer = message;
    }

    @Override
    public void end(@Nullable RpcFailure failure) {
      if (failure != null) {
        emitter.fail(SandgateClientException.of((Throwable) failure));
      } else if (answer == null) {
        emitter.fail(
            SandgateClientException.of(
                RpcFailure.broken(GrpcStatus.UNKNOWN, "the call ended without an answer", null)));
      } else {
        emitter.complete(answer);
      }
    }
  }
}
