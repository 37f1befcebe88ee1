// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.grpc.common.ServiceMethod;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which code answers which method. Filled before the listener starts, frozen then. */
public final class Routes {

  private static final String SANDBOX_ID = "sandbox_id";

  private final Map<String, Route<?, ?>> routes = new HashMap<>();
  private Function<String, Runnable> use = _ -> () -> {};

  /**
   * A method's parser and code.
   *
   * @param sandboxId where a request names its sandbox; null when it names none
   */
  record Route<Q extends MessageLite, A extends MessageLite>(
      Parser<Q> parser, Consumer<Call<Q, A>> code, @Nullable FieldDescriptor sandboxId) {}

  /** Is told the sandbox of each call that names one in its first message; runs what it gives at the call's end. */
  public void use(Function<String, Runnable> listener) {
    use = listener;
  }

  /** A call whose first message has come. */
  <Q extends MessageLite> Runnable begun(Route<Q, ?> route, Q first) {
    FieldDescriptor field = route.sandboxId();
    return field != null && first instanceof Message message
        ? use.apply((String) message.getField(field))
        : () -> {};
  }

  @Nullable Route<?, ?> find(String fullMethodName) {
    return routes.get(fullMethodName);
  }

  /** A method whose calls the code drives by itself: any number of messages both ways. */
  public <Q extends MessageLite, A extends MessageLite> void stream(
      ServiceMethod<Q, A> method, Parser<Q> parser, Consumer<Call<Q, A>> code) {
    routes.put(method.fullMethodName(), new Route<>(parser, code, sandboxId(parser)));
  }

  /** A method with one request and any number of answers. */
  public <Q extends MessageLite, A extends MessageLite> void answers(
      ServiceMethod<Q, A> method, Parser<Q> parser, Answers<Q, A> code) {
    stream(method, parser, call -> whenComplete(call, request -> code.answer(request, call)));
  }

  /** A unary method answered asynchronously; the work is cancelled with the call. */
  public <Q extends MessageLite, A extends MessageLite> void unary(
      ServiceMethod<Q, A> method, Parser<Q> parser, Function<Q, Uni<A>> code) {
    answers(method, parser, (request, call) -> answer(code.apply(request), call));
  }

  /** A unary method answered by blocking code on a virtual thread, interrupted with the call. */
  public <Q extends MessageLite, A extends MessageLite> void blocking(
      ServiceMethod<Q, A> method, Parser<Q> parser, Function<Q, A> code) {
    unary(method, parser, request -> Blocking.call(() -> code.apply(request)));
  }

  /** As {@link #blocking}, by code that wants to know who calls. */
  public <Q extends MessageLite, A extends MessageLite> void blockingFor(
      ServiceMethod<Q, A> method, Parser<Q> parser, BiFunction<Q, String, A> code) {
    answers(
        method,
        parser,
        (request, call) -> {
          String caller = call.caller();
          answer(Blocking.call(() -> code.apply(request, caller)), call);
        });
  }

  /** Code that sends any number of answers to one request. */
  @FunctionalInterface
  public interface Answers<Q extends MessageLite, A extends MessageLite> {
    /** Called on the call's event loop; what it throws fails the call. */
    void answer(Q request, Call<Q, A> call);
  }

  private static <Q extends MessageLite, A extends MessageLite> void answer(
      Uni<A> work, Call<Q, A> call) {
    Cancellable running =
        work.subscribe()
            .with(
                answer -> call.execute(() -> call.finish(answer)),
                failure -> call.execute(() -> call.fail(failure)));
    call.onClose(running::cancel);
  }

  /** Runs the code with the one request, when the caller has ended its side. */
  private static <Q extends MessageLite, A extends MessageLite> void whenComplete(
      Call<Q, A> call, Consumer<Q> code) {
    var one =
        new Object() {
          @Nullable Q request;
        };
    call.onMessage(
        request -> {
          if (one.request != null) {
            throw new SandgateException(
                ErrorCode.INVALID_ARGUMENT, "this method takes exactly one request message");
          }
          one.request = request;
        });
    call.onEnd(
        () -> {
          Q request = one.request;
          if (request == null) {
            call.fail(
                new SandgateException(
                    ErrorCode.INVALID_ARGUMENT, "the request message is missing"));
            return;
          }
          try {
            code.accept(request);
          } catch (RuntimeException e) {
            call.fail(e);
          }
        });
  }

  private static @Nullable FieldDescriptor sandboxId(Parser<?> parser) {
    try {
      return parser.parseFrom(ByteString.EMPTY) instanceof Message empty
          ? empty.getDescriptorForType().findFieldByName(SANDBOX_ID)
          : null;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an empty message is always one", e);
    }
  }
}
