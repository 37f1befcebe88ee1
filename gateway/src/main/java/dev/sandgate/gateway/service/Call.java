// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call that the gateway answers. Everything happens on its event loop; after its end, by whichever side, what is
 * sent is ignored and the {@link #onClose} actions have run.
 *
 * @param <Q> requests
 * @param <A> answers
 */
final class Call<Q, A> implements Caller {

  /** The header in which the name of the caller's key comes from the relay, and goes to nodes. */
  static final String CALLER = "sandgate-caller";

  private static final String IDENTITY = "identity";

  private final GrpcServerRequest<Q, A> request;
  private final GrpcMessageDecoder<Q> decoder;
  private final GrpcServerResponse<Q, A> response;
  private final Context context = Objects.requireNonNull(Vertx.currentContext());
  private final Set<Runnable> closeActions = new LinkedHashSet<>(2);
  private final Runnable stopWaiting;
  private boolean begun;
  private volatile boolean closed;

  /**
   * Where calls come from.
   *
   * @param grpc the server
   * @param vertx whose timers are used
   * @param patienceMillis how long a caller may take to send what its call is to begin with
   */
  record Host(GrpcServer grpc, Vertx vertx, long patienceMillis) {}

  private Call(GrpcServerRequest<Q, A> request, GrpcMessageDecoder<Q> decoder, Host host) {
    this.request = request;
    this.decoder = decoder;
    Vertx vertx = host.vertx();
    long timer = vertx.setTimer(host.patienceMillis(), _ -> fail(nothingCame()));
    stopWaiting = () -> vertx.cancelTimer(timer);
    response = request.response();
    request.exceptionHandler(_ -> close());
    request.errorHandler(_ -> close());
    response.exceptionHandler(_ -> close());
    request.invalidMessageHandler(
        _ -> fail(CallFailed.invalid("request", "the message is too large")));
  }

  /** Answers a method that takes one message and gives one. */
  static <Q, A> void unary(
      Host server, ServiceMethod<Q, A> method, BiFunction<Q, Call<Q, A>, Future<A>> code) {
    streaming(
        server,
        method,
        (message, call) ->
            code.apply(message, call)
                .onSuccess(answer -> call.execute(() -> call.finish(answer)))
                .onFailure(failure -> call.execute(() -> call.fail(failure))));
  }

  /** Answers a method that takes one message and gives many. */
  static <Q, A> void streaming(
      Host server, ServiceMethod<Q, A> method, BiConsumer<Q, Call<Q, A>> code) {
    driven(server, method, call -> new One<>(call, code));
  }

  /** Answers a method whose messages the code takes by itself. */
  static <Q, A> void driven(Host server, ServiceMethod<Q, A> method, Consumer<Call<Q, A>> code) {
    server
        .grpc()
        .callHandler(
            method,
            request -> {
              Call<Q, A> call = new Call<>(request, method.decoder(), server);
              call.guarded(() -> call.begin(code));
            });
  }

  // A compressed message is never inflated: nothing would bound what it grows to.
  private void begin(Consumer<Call<Q, A>> code) {
    String encoding = request.encoding();
    if (encoding != null && !encoding.equals(IDENTITY)) {
      throw new CallFailed(
          Failure.of(
              Code.UNSUPPORTED,
              "compressed messages are not taken; send with grpc-encoding identity"));
    }
    code.accept(this);
  }

  // Runs the code with the one message once the caller has ended its side.
  private static final class One<Q, A> {
    private final Call<Q, A> call;
    private @Nullable Q message;

    One(Call<Q, A> call, BiConsumer<Q, Call<Q, A>> code) {
      this.call = call;
      call.receive(this::take);
      call.request.endHandler(_ -> call.guarded(() -> run(code)));
    }

    void take(Q next) {
      if (message != null) {
        call.fail(CallFailed.invalid("request", "this method takes exactly one message"));
      }
      message = next;
    }

    private void run(BiConsumer<Q, Call<Q, A>> code) {
      call.stopWaiting.run();
      Q only = message;
      if (only == null) {
        throw missing();
      }
      if (!call.closed) {
        code.accept(only, call);
      }
    }
  }

  // Vert.x would answer a message that cannot be read with a bare reset.
  private void receive(Consumer<Q> consumer) {
    request.messageHandler(
        message ->
            guarded(
                () -> {
                  if (!closed) {
                    consumer.accept(decoded(message));
                  }
                }));
  }

  private Q decoded(GrpcMessage message) {
    if (!IDENTITY.equals(message.encoding())) {
      throw CallFailed.invalid("request", "the message is compressed in no known way");
    }
    try {
      return decoder.decode(message);
    } catch (CodecException e) {
      throw CallFailed.invalid("request", "this is no message of this method");
    }
  }

  /** Takes request messages and their end. */
  void onMessages(Consumer<Q> message, Runnable end) {
    receive(
        next -> {
          begun = true;
          stopWaiting.run();
          message.accept(next);
        });
    request.endHandler(
        _ -> {
          stopWaiting.run();
          if (begun) {
            guarded(end);
          } else {
            fail(missing());
          }
        });
  }

  private void guarded(Runnable code) {
    try {
      code.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  void pause() {
    request.pause();
  }

  void resume() {
    request.resume();
  }

  /** Runs something on the call's event loop: at once when already there. */
  void execute(Runnable action) {
    if (Objects.equals(Vertx.currentContext(), context)) {
      action.run();
    } else {
      context.runOnContext(_ -> action.run());
    }
  }

  @Override
  public Runnable whenGone(Runnable action) {
    execute(() -> onClose(action));
    return () -> execute(() -> closeActions.remove(action));
  }

  @Override
  public boolean gone() {
    return closed;
  }

  /** Runs once, when the call is over for whatever reason; at once if it is. */
  void onClose(Runnable action) {
    if (closed) {
      action.run();
    } else {
      closeActions.add(action);
    }
  }

  boolean closed() {
    return closed;
  }

  /** The name of the caller's key. */
  String caller() {
    String name = request.headers().get(CALLER);
    return name == null ? "" : name;
  }

  /** Whether the caller keeps up; when not, {@code drained} runs when it does again. */
  boolean writable(Runnable drained) {
    if (closed || !response.writeQueueFull()) {
      return true;
    }
    response.drainHandler(_ -> drained.run());
    return false;
  }

  /** Sends an answer; completes when it was written, at the pace at which the caller reads. */
  Future<Void> send(A answer) {
    return closed ? Future.succeededFuture() : response.write(answer);
  }

  void finish(A answer) {
    if (!closed) {
      response.end(answer);
      close();
    }
  }

  void finish() {
    if (!closed) {
      response.end();
      close();
    }
  }

  void fail(Throwable cause) {
    if (!closed) {
      Failure failure = CallFailed.of(cause).failure();
      response.status(failure.status()).statusMessage(failure.message());
      response.trailers().set("grpc-status-details-bin", failure.details());
      response.end();
      close();
    }
  }

  private void close() {
    if (!closed) {
      closed = true;
      stopWaiting.run();
      List<Runnable> actions = List.copyOf(closeActions);
      closeActions.clear();
      actions.forEach(Runnable::run);
    }
  }

  private static CallFailed missing() {
    return CallFailed.invalid("request", "the message is missing");
  }

  private static CallFailed nothingCame() {
    return new CallFailed(
        Failure.of(
            Code.DEADLINE_EXCEEDED, "the message with which the call begins did not come in time"));
  }

  /** What a call is told when its time is over. */
  static CallFailed late() {
    return new CallFailed(
        Failure.of(Code.DEADLINE_EXCEEDED, "it took too long; nothing more is done"));
  }
}
