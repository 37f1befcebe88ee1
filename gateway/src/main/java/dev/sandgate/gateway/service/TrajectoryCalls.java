// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.TrajectoriesGrpcClient;
import dev.sandgate.proto.v1.TrajectoryEntry;
import dev.sandgate.proto.v1.TrajectoryPage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trajectories of all nodes together: a sandbox's comes from its node, that of labels from all nodes, merged by revision,
 * which is about when things happened.
 */
final class TrajectoryCalls {

  private static final int DEFAULT_PAGE = 200;
  private static final int MAX_PAGE = 1_000;
  private static final int PAGE_BYTES = 2 << 20;

  private final Fleet fleet;
  private final long timeoutMillis;

  TrajectoryCalls(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** One page. */
  Future<TrajectoryPage> list(ListTrajectoryRequest request, Caller caller) {
    int size = request.getPageSize() == 0 ? DEFAULT_PAGE : request.getPageSize();
    if (size < 1 || size > MAX_PAGE) {
      throw CallFailed.invalid("page_size", size + " is not within 0 to " + MAX_PAGE);
    }
    NodeCursor cursor = NodeCursor.parse("after", request.getAfter());
    return Fleet.askAll(
            members(request.getSandboxId()),
            TrajectoriesGrpcClient.List,
            member ->
                request.toBuilder().setPageSize(size).setAfter(cursor.of(member.nodeId())).build(),
            new Fleet.Asking(caller, timeoutMillis))
        .map(answers -> merge(answers, cursor, size));
  }

  /** Page after page until nothing is left for now, at the caller's pace. */
  void export(ListTrajectoryRequest request, Call<ListTrajectoryRequest, TrajectoryPage> call) {
    list(request, call)
        .onFailure(failure -> call.execute(() -> call.fail(failure)))
        .onSuccess(page -> call.execute(() -> send(request, page, call)));
  }

  private void send(
      ListTrajectoryRequest request,
      TrajectoryPage page,
      Call<ListTrajectoryRequest, TrajectoryPage> call) {
    if (page.getEntriesCount() == 0) {
      call.finish(page);
    } else if (!call.closed()) {
      call.send(page)
          .onSuccess(
              _ ->
                  call.execute(
                      () -> export(request.toBuilder().setAfter(page.getCursor()).build(), call)));
    }
  }

  private List<Fleet.Member> members(String sandboxId) {
    if (sandboxId.isEmpty()) {
      return fleet.all();
    }
    List<Fleet.Member> home =
        fleet.all().stream()
            .filter(member -> sandboxId.startsWith("sb-" + member.nodeId() + "-"))
            .toList();
    if (home.isEmpty()) {
      throw new CallFailed(
          Failure.of(Code.NOT_FOUND, "no node has sandboxes like '" + sandboxId + "'")
              .field("sandbox_id"));
    }
    return home;
  }

  private static TrajectoryPage merge(
      List<Fleet.Answer<TrajectoryPage>> answers, NodeCursor cursor, int size) {
    TrajectoryPage.Builder page = TrajectoryPage.newBuilder();
    List<Source> sources = new ArrayList<>();
    for (Fleet.Answer<TrajectoryPage> answer : answers) {
      if (answer.succeeded()) {
        sources.add(new Source(answer.member().nodeId(), answer.value().getFirst()));
      } else if (answers.size() == 1 || answer.failedWith(Code.INVALID_ARGUMENT)) {
        throw answer.failure().getFirst();
      } else {
        page.addUnreachableNodes(answer.member().nodeId());
      }
    }
    int bytes = 0;
    while (page.getEntriesCount() < size && bytes < PAGE_BYTES) {
      Source next = earliest(sources);
      if (next == null) {
        break;
      }
      TrajectoryEntry entry = next.take();
      bytes += entry.getSerializedSize();
      cursor.move(next.nodeId, Long.toString(entry.getRevision()));
      page.addEntries(entry);
    }
    return page.setCursor(cursor.text()).build();
  }

  // None if nothing is left, or a node that has used up its page may have something earlier than
  // the others.
  private static @Nullable Source earliest(List<Source> sources) {
    Source earliest = null;
    for (Source source : sources) {
      if (source.usedUp()) {
        return null;
      }
      if (source.hasNext() && (earliest == null || source.revision() < earliest.revision())) {
        earliest = source;
      }
    }
    return earliest;
  }

  /** What is left of a node's page. */
  private static final class Source {
    private final String nodeId;
    private final List<TrajectoryEntry> entries;
    private int at;

    Source(String nodeId, TrajectoryPage page) {
      this.nodeId = nodeId;
      this.entries = page.getEntriesList();
    }

    boolean hasNext() {
      return at < entries.size();
    }

    boolean usedUp() {
      return !hasNext() && !entries.isEmpty();
    }

    long revision() {
      return entries.get(at).getRevision();
    }

    TrajectoryEntry take() {
      return entries.get(at++);
    }
  }
}
