// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the sandboxes of all nodes, newest first: each node gives a page, the newest of them all are taken. */
final class Listing {

  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_PAGE = 1_000;
  private static final Comparator<Sandbox> NEWEST_FIRST =
      Comparator.comparingLong(PageToken::createdNanos)
          .thenComparing(Sandbox::getSandboxId)
          .reversed();

  private final Fleet fleet;
  private final long timeoutMillis;

  Listing(Fleet fleet, long timeoutMillis) {
    this.fleet = fleet;
    this.timeoutMillis = timeoutMillis;
  }

  /** One page. */
  Future<ListSandboxesResponse> list(ListSandboxesRequest request, Caller caller) {
    int size = request.getPageSize() == 0 ? DEFAULT_PAGE : request.getPageSize();
    if (size < 1 || size > MAX_PAGE) {
      throw CallFailed.invalid("page_size", size + " is not within 0 to " + MAX_PAGE);
    }
    PageToken from = PageToken.parse(request.getPageToken());
    List<Fleet.Member> asked =
        fleet.all().stream().filter(member -> !from.finished(member.nodeId())).toList();
    return Fleet.askAll(
            asked,
            SandboxesGrpcClient.List,
            member ->
                request.toBuilder()
                    .setPageSize(size)
                    .setPageToken(from.of(member.nodeId()).token())
                    .build(),
            new Fleet.Asking(caller, timeoutMillis))
        .map(answers -> merge(answers, from, size));
  }

  private static ListSandboxesResponse merge(
      List<Fleet.Answer<ListSandboxesResponse>> answers, PageToken from, int size) {
    ListSandboxesResponse.Builder page = ListSandboxesResponse.newBuilder();
    PageToken.Builder next = from.toBuilder();
    List<Source> sources = new ArrayList<>();
    for (Fleet.Answer<ListSandboxesResponse> answer : answers) {
      String nodeId = answer.member().nodeId();
      if (answer.succeeded()) {
        sources.add(new Source(nodeId, from.of(nodeId), answer.value().getFirst()));
      } else if (answer.failedWith(Code.INVALID_ARGUMENT)) {
        throw answer.failure().getFirst();
      } else {
        page.addUnreachableNodes(nodeId);
      }
    }
    while (page.getSandboxesCount() < size) {
      Source newest = newest(sources);
      if (newest == null) {
        break;
      }
      page.addSandboxes(newest.take());
    }
    sources.forEach(source -> source.remember(next));
    return page.setNextPageToken(next.build()).build();
  }

  // None if nothing is left, or a node that has used up its page may have something newer than the
  // others.
  private static @Nullable Source newest(List<Source> sources) {
    Source newest = null;
    for (Source source : sources) {
      if (source.starved()) {
        return null;
      }
      if (source.hasNext()
          && (newest == null || NEWEST_FIRST.compare(source.peek(), newest.peek()) < 0)) {
        newest = source;
      }
    }
    return newest;
  }

  /** What is left of a node's page. */
  private static final class Source {
    private final String nodeId;
    private final PageToken.Position before;
    private final ListSandboxesResponse page;
    private int at;

    Source(String nodeId, PageToken.Position before, ListSandboxesResponse page) {
      this.nodeId = nodeId;
      this.before = before;
      this.page = page;
      this.at = before.skipped(page.getSandboxesList());
    }

    boolean hasNext() {
      return at < page.getSandboxesCount();
    }

    boolean starved() {
      return !hasNext() && !page.getNextPageToken().isEmpty();
    }

    Sandbox peek() {
      return page.getSandboxes(at);
    }

    Sandbox take() {
      return page.getSandboxes(at++);
    }

    void remember(PageToken.Builder next) {
      if (starved()) {
        next.put(nodeId, new PageToken.Position(page.getNextPageToken(), "", 0));
      } else if (!hasNext()) {
        next.finish(nodeId);
      } else if (at == 0) {
        next.put(nodeId, before);
      } else {
        Sandbox last = page.getSandboxes(at - 1);
        next.put(
            nodeId,
            new PageToken.Position(
                before.token(), last.getSandboxId(), PageToken.createdNanos(last)));
      }
    }
  }
}
