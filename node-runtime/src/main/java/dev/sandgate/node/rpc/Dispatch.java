// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sandgate.node.rpc.Routes.Route;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.WireFormat;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes the requests of one event loop: credentials, method, deadline, then the method's code. */
final class Dispatch implements Handler<HttpServerRequest> {

  private static final long MAX_MESSAGE_BYTES = 4L << 20;
  private static final long SILENCE_MILLIS = 30_000;
  private static final String ENCODING = "grpc-encoding";

  private final Routes routes;
  private final Token token;
  private final Failures failures;
  private final Set<HttpConnection> silent = Collections.newSetFromMap(new IdentityHashMap<>());
  private @Nullable Vertx vertx;
  private @Nullable GrpcServer server;
  private @Nullable HttpServerRequest current;

  Dispatch(Routes routes, Token token, Failures failures) {
    this.routes = routes;
    this.token = token;
    this.failures = failures;
  }

  void bind(Vertx bound) {
    vertx = bound;
    server =
        GrpcServer.server(
                bound,
                new GrpcServerOptions()
                    .removeEnabledProtocol(GrpcProtocol.WEB)
                    .removeEnabledProtocol(GrpcProtocol.WEB_TEXT)
                    .removeEnabledProtocol(GrpcProtocol.TRANSCODING)
                    .setMaxMessageSize(MAX_MESSAGE_BYTES))
            .callHandler(this::accept);
  }

  /** A connection that never asks anything is closed; one that did may be silent for as long as it likes. */
  void opened(HttpConnection connection) {
    Vertx loop = Objects.requireNonNull(vertx);
    silent.add(connection);
    long timer =
        loop.setTimer(
            SILENCE_MILLIS,
            _ -> {
              if (silent.remove(connection)) {
                Sending.forget(connection.close());
              }
            });
    connection.closeHandler(
        _ -> {
          silent.remove(connection);
          loop.cancelTimer(timer);
        });
  }

  @Override
  public void handle(HttpServerRequest http) {
    silent.remove(http.connection());
    if (!http.headers().contains(ENCODING)) {
      // Without it the deframer throws on a compressed message and the call would hang.
      http.headers().set(ENCODING, "undeclared");
    }
    current = http;
    Objects.requireNonNull(server).handle(http);
    current = null;
  }

  private void accept(GrpcServerRequest<Buffer, Buffer> request) {
    Route<?, ?> route = routes.find(request.fullMethodName());
    if (route == null) {
      begin(request, MessageLiteParser.ANY)
          .fail(
              new SandgateException(
                  ErrorCode.UNSUPPORTED, "unknown method " + request.fullMethodName()));
    } else {
      accept(request, route);
    }
  }

  private <Q extends MessageLite, A extends MessageLite> void accept(
      GrpcServerRequest<Buffer, Buffer> request, Route<Q, A> route) {
    Call<Q, A> call = begin(request, route.parser());
    if (!token.matches(request.headers().get("authorization"))) {
      call.fail(
          new SandgateException(
              ErrorCode.UNAUTHENTICATED,
              "the header `authorization: Bearer <token>` is missing or has another node's token"));
    } else if (request.format() == WireFormat.JSON) {
      call.fail(
          new SandgateException(ErrorCode.UNSUPPORTED, "only application/grpc+proto is served"));
    } else {
      run(call, route);
    }
  }

  private <Q extends MessageLite, A extends MessageLite> void run(
      Call<Q, A> call, Route<Q, A> route) {
    call.startDeadline(Objects.requireNonNull(vertx));
    call.onFirst(first -> call.onClose(routes.begun(route, first)));
    try {
      route.code().accept(call);
    } catch (RuntimeException e) {
      call.fail(e);
    }
  }

  private <Q extends MessageLite, A extends MessageLite> Call<Q, A> begin(
      GrpcServerRequest<Buffer, Buffer> request, Parser<Q> parser) {
    return new Call<>(
        request,
        Objects.requireNonNull(current),
        Objects.requireNonNull(vertx).getOrCreateContext(),
        parser,
        failures);
  }

  /** For calls that end before a message is read. */
  private static final class MessageLiteParser {
    static final Parser<com.google.protobuf.Empty> ANY = com.google.protobuf.Empty.parser();
  }
}
