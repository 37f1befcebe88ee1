// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.MessageLite;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.service.Paged.Page;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentHistoryRequest;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ListEnvironmentLocksRequest;
import dev.sandgate.proto.v1.ListEnvironmentLocksResponse;
import dev.sandgate.proto.v1.LockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentResponse;
import io.vertx.core.Future;
import io.vertx.grpc.common.ServiceMethod;
import java.util.List;

/** What names stood for, and locks, on all nodes together. */
final class VersionCalls {

  private static final Paged<EnvironmentLock> PAGED =
      new Paged<>(VersionCalls::key, (one, _) -> one);

  private final Fleet fleet;
  private final long timeoutMillis;

  VersionCalls(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** One page of the versions of the nodes that answer, each content once, youngest first. */
  Future<EnvironmentHistory> history(EnvironmentHistoryRequest request, Caller caller) {
    NodeCursor cursor = NodeCursor.parse("page_token", request.getPageToken());
    List<Fleet.Member> asked = asked(request, cursor);
    return Fleet.askAll(
            asked,
            EnvironmentsGrpcClient.History,
            member ->
                request.toBuilder()
                    .setPageSize(MergedHistory.ofNode(request.getPageSize()))
                    .setPageToken(cursor.of(member.nodeId()))
                    .build(),
            new Fleet.Asking(caller, timeoutMillis))
        .map(
            answers ->
                MergedHistory.page(
                    EnvironmentCalls.requireSome(answers).stream()
                        .map(answer -> source(answer.member(), answer.value().getFirst()))
                        .toList(),
                    cursor,
                    request.getPageSize()));
  }

  /** Who answered when the first page was asked for. */
  private List<Fleet.Member> asked(EnvironmentHistoryRequest request, NodeCursor cursor) {
    if (request.getPageToken().isEmpty()) {
      return fleet.all();
    }
    List<Fleet.Member> asked =
        fleet.all().stream().filter(member -> cursor.has(member.nodeId())).toList();
    if (asked.isEmpty()) {
      throw CallFailed.invalid("page_token", "its nodes are gone; begin anew without one");
    }
    return asked;
  }

  private static MergedHistory.Source source(Fleet.Member member, EnvironmentHistory page) {
    return new MergedHistory.Source(member.nodeId(), page);
  }

  /** A job's sandboxes may be made on any node: all that have the name lock it, or the call fails. */
  Future<EnvironmentLock> lock(LockEnvironmentRequest request, Caller caller) {
    return ask(EnvironmentsGrpcClient.Lock, request, caller).map(VersionCalls::requireAll);
  }

  /** On all nodes. */
  Future<UnlockEnvironmentResponse> unlock(UnlockEnvironmentRequest request, Caller caller) {
    return ask(EnvironmentsGrpcClient.Unlock, request, caller)
        .map(
            answers -> {
              requireAll(answers);
              int most =
                  answers.stream()
                      .flatMap(answer -> answer.value().stream())
                      .mapToInt(UnlockEnvironmentResponse::getReleased)
                      .max()
                      .orElse(0);
              return UnlockEnvironmentResponse.newBuilder().setReleased(most).build();
            });
  }

  /** One page of those of the nodes that answer, each once. */
  Future<ListEnvironmentLocksResponse> locks(ListEnvironmentLocksRequest request, Caller caller) {
    return ask(EnvironmentsGrpcClient.ListLocks, request, caller)
        .map(
            answers -> {
              List<Page<EnvironmentLock>> pages =
                  EnvironmentCalls.requireSome(answers).stream()
                      .flatMap(answer -> answer.value().stream())
                      .map(page -> new Page<>(page.getLocksList(), page.getNextPageToken()))
                      .toList();
              Page<EnvironmentLock> merged = PAGED.merge(pages, request.getPageSize());
              return ListEnvironmentLocksResponse.newBuilder()
                  .addAllLocks(merged.items())
                  .setNextPageToken(merged.next())
                  .build();
            });
  }

  private static String key(EnvironmentLock lock) {
    return String.join("\1", lock.getJob(), lock.getName(), lock.getTag(), lock.getDigest());
  }

  private static <A> A requireAll(List<Fleet.Answer<A>> answers) {
    for (Fleet.Answer<A> answer : answers) {
      if (!answer.succeeded() && !answer.failedWith(Code.NOT_FOUND)) {
        throw answer.failure().getFirst();
      }
    }
    return EnvironmentCalls.requireSome(answers).getFirst().value().getFirst();
  }

  private <Q extends MessageLite, A extends MessageLite> Future<List<Fleet.Answer<A>>> ask(
      ServiceMethod<A, Q> method, Q request, Caller caller) {
    return Fleet.askAll(fleet.all(), method, _ -> request, new Fleet.Asking(caller, timeoutMillis));
  }
}
