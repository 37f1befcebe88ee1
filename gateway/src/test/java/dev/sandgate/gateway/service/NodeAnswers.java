// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.TestNode;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** What nodes of tests say. */
final class NodeAnswers {

  private NodeAnswers() {}

  /** What a node says to one call after another: an answer or a failure, the last one for ever. */
  @SafeVarargs
  @SuppressWarnings("varargs") // nothing is written to them
  static <Q, A> void answers(
      TestNode node, ServiceMethod<Q, A> method, Consumer<GrpcServerResponse<Q, A>>... replies) {
    Deque<Consumer<GrpcServerResponse<Q, A>>> left = new ArrayDeque<>(List.of(replies));
    node.grpc()
        .callHandler(
            method,
            request ->
                request.handler(
                    _ -> {
                      var reply = left.size() > 1 ? left.remove() : left.element();
                      reply.accept(request.response());
                    }));
  }

  static <Q, A> Consumer<GrpcServerResponse<Q, A>> says(A answer) {
    return response -> response.end(answer);
  }

  static <Q, A> Consumer<GrpcServerResponse<Q, A>> fails(Code code) {
    Failure failure = Failure.of(code, "as told");
    return response -> {
      response.status(failure.status()).statusMessage(failure.message());
      response.trailers().set("grpc-status-details-bin", failure.details());
      response.end();
    };
  }
}
