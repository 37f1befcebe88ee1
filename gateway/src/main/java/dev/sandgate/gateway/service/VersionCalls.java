// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Timestamp;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.service.Paged.Page;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentVersion;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ListEnvironmentLocksRequest;
import dev.sandgate.proto.v1.ListEnvironmentLocksResponse;
import dev.sandgate.proto.v1.LockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentResponse;
import io.vertx.core.Future;
import io.vertx.grpc.common.ServiceMethod;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  /** The versions of the nodes that answer, each content once, youngest first. */
  Future<EnvironmentHistory> history(GetEnvironmentRequest request, Caller caller) {
    return ask(EnvironmentsGrpcClient.History, request, caller)
        .map(
            answers -> {
              Map<String, EnvironmentVersion> merged = new LinkedHashMap<>();
              for (Fleet.Answer<EnvironmentHistory> answer :
                  EnvironmentCalls.requireSome(answers)) {
                Map<String, Integer> seen = new LinkedHashMap<>();
                for (EnvironmentVersion version : answer.value().getFirst().getVersionsList()) {
                  String digest = version.getEnvironment().getDigest();
                  int nth = seen.merge(digest, 1, Integer::sum);
                  merged.merge(digest + "/" + nth, version, VersionCalls::together);
                }
              }
              return EnvironmentHistory.newBuilder()
                  .addAllVersions(
                      merged.values().stream()
                          .sorted(Comparator.comparingLong(VersionCalls::created).reversed())
                          .toList())
                  .build();
            });
  }

  private static long created(EnvironmentVersion version) {
    Timestamp time = version.getEnvironment().getCreatedAt();
    return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
  }

  private static EnvironmentVersion together(EnvironmentVersion one, EnvironmentVersion other) {
    EnvironmentVersion more = one.getUsable() ? one : other;
    EnvironmentVersion less = one.getUsable() ? other : one;
    return more.toBuilder()
        .setEnvironment(MergedUses.together(more.getEnvironment(), less.getEnvironment()))
        .build();
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
