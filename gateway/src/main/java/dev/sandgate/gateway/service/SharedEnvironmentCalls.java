// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.MessageLite;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.PullEnvironmentRequest;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import dev.sandgate.proto.v1.UnshareEnvironmentResponse;
import io.vertx.core.Future;
import io.vertx.grpc.common.ServiceMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Environments in the directory of layers that nodes share. Images are copied meanwhile, which may take long. */
final class SharedEnvironmentCalls {

  private static final long MOST_MILLIS = Duration.ofHours(6).toMillis();

  private final Fleet fleet;

  SharedEnvironmentCalls(Fleet fleet) {
    this.fleet = fleet;
  }

  /** By the first node that has it and shares layers. */
  Future<Environment> share(ShareEnvironmentRequest request, Caller caller) {
    return firstOf(EnvironmentsGrpcClient.Share, request, caller);
  }

  /** By the first node that shares layers. */
  Future<UnshareEnvironmentResponse> unshare(UnshareEnvironmentRequest request, Caller caller) {
    return firstOf(EnvironmentsGrpcClient.Unshare, request, caller);
  }

  /** To every node; the first failure, if there is one, when all have ended. */
  Future<Environment> pull(PullEnvironmentRequest request, Caller caller) {
    return ask(fleet.all(), EnvironmentsGrpcClient.Pull, request, caller)
        .map(
            answers -> {
              answers.stream()
                  .filter(answer -> !answer.succeeded())
                  .findFirst()
                  .ifPresent(
                      answer -> {
                        throw answer.failure().getFirst();
                      });
              return EnvironmentCalls.requireSome(answers).getFirst().value().getFirst();
            });
  }

  private <Q extends MessageLite, A extends MessageLite> Future<A> firstOf(
      ServiceMethod<A, Q> method, Q request, Caller caller) {
    return firstOf(fleet.all(), new ArrayList<>(), node -> ask(node, method, request, caller));
  }

  private <A> Future<A> firstOf(
      List<Fleet.Member> left,
      List<Fleet.Answer<A>> refused,
      java.util.function.Function<List<Fleet.Member>, Future<List<Fleet.Answer<A>>>> question) {
    if (left.isEmpty()) {
      return Future.failedFuture(said(refused));
    }
    return question
        .apply(left.subList(0, 1))
        .compose(
            answers -> {
              Fleet.Answer<A> answer = answers.getFirst();
              boolean other =
                  answer.failedWith(Code.NOT_FOUND) || answer.failedWith(Code.FAILED_PRECONDITION);
              if (other) {
                refused.add(answer);
                return firstOf(left.subList(1, left.size()), refused, question);
              }
              return answer.succeeded()
                  ? Future.succeededFuture(answer.value().getFirst())
                  : Future.failedFuture(answer.failure().getFirst());
            });
  }

  /** What a node said that knows the environment, rather than that another does not. */
  private static <A> CallFailed said(List<Fleet.Answer<A>> refused) {
    return refused.stream()
        .filter(answer -> !answer.failedWith(Code.NOT_FOUND))
        .findFirst()
        .or(() -> refused.stream().findFirst())
        .map(answer -> answer.failure().getFirst())
        .orElseGet(EnvironmentCalls::noNodes);
  }

  private static <Q extends MessageLite, A extends MessageLite> Future<List<Fleet.Answer<A>>> ask(
      List<Fleet.Member> nodes, ServiceMethod<A, Q> method, Q request, Caller caller) {
    return Fleet.askAll(nodes, method, _ -> request, new Fleet.Asking(caller, MOST_MILLIS));
  }
}
