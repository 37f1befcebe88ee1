// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.service.Paged.Page;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentResponse;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Environments of all nodes together. */
final class EnvironmentCalls {

  private static final Paged<Environment> PAGED =
      new Paged<>(EnvironmentCalls::key, MergedUses::together);

  private final Fleet fleet;
  private final long timeoutMillis;

  EnvironmentCalls(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** One page of what any node has. */
  Future<ListEnvironmentsResponse> list(ListEnvironmentsRequest request, Caller caller) {
    return Fleet.askAll(
            fleet.all(),
            EnvironmentsGrpcClient.List,
            _ -> request,
            new Fleet.Asking(caller, timeoutMillis))
        .map(
            answers ->
                page(
                    requireSome(answers).stream().map(answer -> answer.value().getFirst()).toList(),
                    request.getPageSize()));
  }

  /** One page of theirs. */
  static ListEnvironmentsResponse page(List<ListEnvironmentsResponse> pages, int size) {
    Page<Environment> merged =
        PAGED.merge(
            pages.stream()
                .map(page -> new Page<>(page.getEnvironmentsList(), page.getNextPageToken()))
                .toList(),
            size);
    return ListEnvironmentsResponse.newBuilder()
        .addAllEnvironments(merged.items())
        .setNextPageToken(merged.next())
        .build();
  }

  /** What the nodes that have it say. */
  Future<Environment> get(GetEnvironmentRequest request, Caller caller) {
    return Fleet.askAll(
            fleet.all(),
            EnvironmentsGrpcClient.Get,
            _ -> request,
            new Fleet.Asking(caller, timeoutMillis))
        .map(
            answers -> {
              Map<String, Environment> merged = new TreeMap<>();
              for (Fleet.Answer<Environment> answer : requireSome(answers)) {
                answer.value().forEach(found -> add(merged, found));
              }
              return merged.values().iterator().next();
            });
  }

  private static void add(Map<String, Environment> merged, Environment found) {
    merged.merge(key(found), found, MergedUses::together);
  }

  private static String key(Environment found) {
    return found.getName() + ":" + found.getTag() + "@" + found.getDigest();
  }

  /** Removes it everywhere; a node that never had it is no error unless none had. */
  Future<RemoveEnvironmentResponse> remove(RemoveEnvironmentRequest request, Caller caller) {
    return Fleet.askAll(
            fleet.all(),
            EnvironmentsGrpcClient.Remove,
            _ -> request,
            new Fleet.Asking(caller, timeoutMillis))
        .map(NodeReport::removed);
  }

  // Those that succeeded; when there are none, the failure that says most.
  static <A> List<Fleet.Answer<A>> requireSome(List<Fleet.Answer<A>> answers) {
    List<Fleet.Answer<A>> good = answers.stream().filter(Fleet.Answer::succeeded).toList();
    if (good.isEmpty()) {
      throw answers.stream()
          .filter(answer -> !answer.failedWith(Code.NOT_FOUND))
          .findFirst()
          .or(() -> answers.stream().findFirst())
          .map(answer -> answer.failure().getFirst())
          .orElseGet(EnvironmentCalls::noNodes);
    }
    return good;
  }

  static CallFailed noNodes() {
    return new CallFailed(
        dev.sandgate.gateway.failure.Failure.of(
            Code.BACKEND_UNAVAILABLE, "this gateway has no nodes; configure one"));
  }
}
