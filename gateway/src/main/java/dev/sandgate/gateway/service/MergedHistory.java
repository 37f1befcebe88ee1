// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentVersion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A page of what a name stood for, of the pages of several nodes. Each made a version at a time of its own, so the same content is one
 * version where nodes have it next; what one node has next and another has within the next 32 waits for that one.
 */
final class MergedHistory {

  private static final int MOST = 1_000;
  private static final int MOST_BYTES = 1 << 19;
  private static final int FORESIGHT = 32;

  private final List<Source> sources;
  private final NodeCursor cursor;

  /** What is left of a node's page. */
  static final class Source {
    private final String nodeId;
    private final EnvironmentHistory page;
    private final Map<String, Integer> left = new HashMap<>();
    private int at;

    Source(String nodeId, EnvironmentHistory page) {
      this.nodeId = nodeId;
      this.page = page;
      page.getVersionsList().forEach(version -> left.merge(digest(version), 1, Integer::sum));
    }

    private boolean hasNext() {
      return at < page.getVersionsCount();
    }

    /** Little is left of its page, and behind that may be what others have next. */
    private boolean starved() {
      int count = page.getVersionsCount();
      return !page.getNextPageToken().isEmpty() && count - at <= Math.min(FORESIGHT, count / 2);
    }

    private EnvironmentVersion peek() {
      return page.getVersions(at);
    }

    private boolean isNext(String digest) {
      return digest(peek()).equals(digest);
    }

    private boolean isFurtherOn(String digest) {
      return !isNext(digest) && left.getOrDefault(digest, 0) > 0;
    }

    private EnvironmentVersion take(NodeCursor cursor) {
      EnvironmentVersion next = page.getVersions(at++);
      left.merge(digest(next), -1, Integer::sum);
      cursor.move(nodeId, next.getPlace());
      return next;
    }
  }

  private MergedHistory(List<Source> sources, NodeCursor cursor) {
    this.sources = sources;
    this.cursor = cursor;
  }

  /** How many to ask a node for, to see far enough. */
  static int ofNode(int pageSize) {
    return pageSize > 0 && pageSize < 2 * FORESIGHT ? 2 * FORESIGHT : pageSize;
  }

  /** The next page, and how far it is then on each node. */
  static EnvironmentHistory page(List<Source> sources, NodeCursor cursor, int pageSize) {
    sources.forEach(source -> cursor.move(source.nodeId, cursor.of(source.nodeId)));
    return new MergedHistory(sources, cursor).page(pageSize == 0 ? MOST : pageSize);
  }

  private EnvironmentHistory page(int size) {
    EnvironmentHistory.Builder page = EnvironmentHistory.newBuilder();
    long bytes = 0;
    while (page.getVersionsCount() < size
        && bytes <= MOST_BYTES
        && sources.stream().noneMatch(Source::starved)
        && sources.stream().anyMatch(Source::hasNext)) {
      EnvironmentVersion next = take(next());
      bytes += next.getSerializedSize();
      page.addVersions(next);
    }
    boolean ended = sources.stream().noneMatch(source -> source.hasNext() || source.starved());
    return page.setNextPageToken(ended ? "" : cursor.text()).build();
  }

  private String next() {
    List<Source> heads =
        sources.stream()
            .filter(Source::hasNext)
            .sorted(Comparator.comparingLong((Source one) -> created(one.peek())).reversed())
            .toList();
    return heads.stream()
        .map(head -> digest(head.peek()))
        .filter(digest -> heads.stream().noneMatch(other -> other.isFurtherOn(digest)))
        .findFirst()
        .orElseGet(() -> digest(heads.getFirst().peek()));
  }

  private EnvironmentVersion take(String digest) {
    List<EnvironmentVersion> same = new ArrayList<>();
    for (Source source : sources) {
      if (source.hasNext() && source.isNext(digest)) {
        same.add(source.take(cursor));
      }
    }
    EnvironmentVersion all = same.stream().reduce(MergedHistory::together).orElseThrow();
    return all.toBuilder().clearPlace().build();
  }

  private static EnvironmentVersion together(EnvironmentVersion one, EnvironmentVersion other) {
    EnvironmentVersion more = one.getUsable() ? one : other;
    EnvironmentVersion less = one.getUsable() ? other : one;
    return more.toBuilder()
        .setEnvironment(MergedUses.together(more.getEnvironment(), less.getEnvironment()))
        .build();
  }

  private static String digest(EnvironmentVersion version) {
    return version.getEnvironment().getDigest();
  }

  private static long created(EnvironmentVersion version) {
    Timestamp time = version.getEnvironment().getCreatedAt();
    return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
  }
}
