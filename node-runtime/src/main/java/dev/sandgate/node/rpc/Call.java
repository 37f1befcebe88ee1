// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC call.
 *
 * <p>Threads: everything happens on the call's event loop; {@link #execute} brings work there. After the end
 * of the call, by whichever side, every send is ignored and {@link #onClose} actions have run once.
 *
 * @param <Q> requests
 * @param <A> answers
 */
public final class Call<Q extends MessageLite, A extends MessageLite> {

  private static final int MOST_CALLER = 256;

  private final GrpcServerRequest<Buffer, Buffer> request;
  private final GrpcServerResponse<Buffer, Buffer> response;
  private final Context context;
  private final Parser<Q> parser;
  private final Failures failures;
  private final List<Runnable> closeActions = new ArrayList<>(2);
  private boolean closed;
  private @Nullable Consumer<Q> first;
  private @Nullable Consumer<Q> messages;
  private @Nullable Runnable end;
  private long deadlineTimer = -1;

  Call(
      GrpcServerRequest<Buffer, Buffer> request,
      HttpServerRequest http,
      Context context,
      Parser<Q> parser,
      Failures failures) {
    this.request = request;
    this.response = request.response();
    this.context = context;
    this.parser = parser;
    this.failures = failures;
    request.invalidMessageHandler(_ -> fail(tooLarge()));
    request.messageHandler(this::received);
    request.endHandler(_ -> ended());
    request.exceptionHandler(_ -> close());
    request.errorHandler(_ -> close());
    response.exceptionHandler(_ -> close());
    http.response().closeHandler(_ -> close());
  }

  /** Runs something on the call's event loop: at once when already there. */
  public void execute(Runnable action) {
    if (context.equals(Vertx.currentContext())) {
      action.run();
    } else {
      context.runOnContext(_ -> action.run());
    }
  }

  /** Runs something on the call's event loop, later. */
  public void later(Runnable action) {
    context.runOnContext(_ -> action.run());
  }

  /** Runs once, when the call is over for whatever reason; at once if it is. */
  public void onClose(Runnable action) {
    if (closed) {
      action.run();
    } else {
      closeActions.add(action);
    }
  }

  /** Takes the first request message, before {@link #onMessage}'s consumer does. */
  void onFirst(Consumer<Q> consumer) {
    first = consumer;
  }

  /** Takes request messages; by default all that come are wanted. */
  public void onMessage(Consumer<Q> consumer) {
    messages = consumer;
  }

  /** Runs when the caller has sent its last message. */
  public void onEnd(Runnable action) {
    end = action;
  }

  /** Who calls, as the gateway says; empty when it says nothing. */
  public String caller() {
    String name = request.headers().get("sandgate-caller");
    return name == null ? "" : name.substring(0, Math.min(MOST_CALLER, name.length()));
  }

  /** Stops the flow of request messages. */
  public void pause() {
    request.pause();
  }

  /** Asks for more request messages after {@link #pause}. */
  public void fetch(long count) {
    request.fetch(count);
  }

  /** Whether the caller keeps up; when not, {@link #onDrain} says when it does again. */
  public boolean writable() {
    return !closed && !response.writeQueueFull();
  }

  /** Runs whenever the caller keeps up again. */
  public void onDrain(Runnable action) {
    response.drainHandler(_ -> action.run());
  }

  /** Whether the call is over. */
  public boolean closed() {
    return closed;
  }

  /** Sends an answer. */
  public void send(A answer) {
    if (!closed) {
      Sending.forget(response.write(Buffer.buffer(answer.toByteArray())));
    }
  }

  /** Sends the last answer and ends the call well. */
  public void finish(A answer) {
    if (!closed) {
      Sending.forget(response.end(Buffer.buffer(answer.toByteArray())));
      discardRest();
    }
  }

  /** Ends the call well. */
  public void finish() {
    if (!closed) {
      Sending.forget(response.end());
      discardRest();
    }
  }

  /** Ends the call with an error. */
  public void fail(Throwable failure) {
    if (closed) {
      return;
    }
    SandgateException known = Failures.known(failure);
    response.status(StatusTable.of(known.code())).statusMessage(Failures.message(known));
    response.trailers().set("grpc-status-details-bin", failures.details(known));
    Sending.forget(response.end());
    discardRest();
  }

  /** Ends the call with DEADLINE_EXCEEDED when the caller's {@code grpc-timeout} has passed. */
  void startDeadline(Vertx vertx) {
    long millis = request.timeout();
    if (millis > 0) {
      deadlineTimer = vertx.setTimer(millis, _ -> fail(late(millis)));
      onClose(() -> vertx.cancelTimer(deadlineTimer));
    }
  }

  private void received(GrpcMessage message) {
    if (closed) {
      return;
    }
    try {
      Consumer<Q> consumer = messages;
      if (consumer != null) {
        Q request = parsed(message);
        Consumer<Q> opening = first;
        first = null;
        if (opening != null) {
          opening.accept(request);
        }
        consumer.accept(request);
      }
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private Q parsed(GrpcMessage message) {
    if (!"identity".equals(message.encoding())) {
      throw new SandgateException(
          ErrorCode.UNSUPPORTED,
          "compressed messages are not taken; send with grpc-encoding identity");
    }
    try {
      CodedInputStream in = CodedInputStream.newInstance(message.payload().getBytes());
      in.enableAliasing(true);
      Q parsed = parser.parseFrom(in);
      in.checkLastTagWas(0);
      return parsed;
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(
          ErrorCode.INVALID_ARGUMENT, "", "the request is no message of this method", e);
    }
  }

  private void ended() {
    Runnable action = end;
    if (!closed && action != null) {
      action.run();
    }
  }

  /** What the caller still sends is read and dropped, so that it fills no connection window. */
  private void discardRest() {
    request.fetch(Long.MAX_VALUE);
    close();
  }

  private void close() {
    if (!closed) {
      closed = true;
      messages = null;
      end = null;
      closeActions.forEach(Runnable::run);
      closeActions.clear();
    }
  }

  private static SandgateException late(long millis) {
    return new SandgateException(
        ErrorCode.DEADLINE_EXCEEDED, "the call's deadline of " + millis + " ms passed");
  }

  private static SandgateException tooLarge() {
    return new SandgateException(
        ErrorCode.RESOURCE_EXHAUSTED, "a message is larger than 4 MiB; send less in one message");
  }
}
