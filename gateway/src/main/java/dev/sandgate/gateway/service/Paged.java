// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * What several nodes list in one order, page by page.
 *
 * @param key of an item, by which nodes order theirs: the token that stands for its place
 * @param together one item of two nodes that have the same key
 */
record Paged<T extends MessageLite>(Function<T, String> key, BinaryOperator<T> together) {

  private static final int MOST = 1_000;
  private static final int MOST_BYTES = 1 << 19;

  /**
   * A page.
   *
   * @param items in order
   * @param next the token for the next page, empty at the end
   */
  record Page<T>(List<T> items, String next) {}

  /** What is behind the end of some node's page may be on the next one, and belongs together then. */
  Page<T> merge(List<Page<T>> pages, int pageSize) {
    NavigableMap<String, T> merged = new TreeMap<>();
    for (Page<T> page : pages) {
      page.items().forEach(item -> merged.merge(key.apply(item), item, together));
    }
    Optional<String> known =
        pages.stream()
            .map(Page::next)
            .filter(token -> !token.isEmpty())
            .min(Comparator.naturalOrder());
    return cut(known.map(end -> merged.headMap(end, true)).orElse(merged), known, pageSize);
  }

  private Page<T> cut(NavigableMap<String, T> complete, Optional<String> known, int pageSize) {
    int size = pageSize == 0 ? MOST : pageSize;
    List<T> items = new ArrayList<>();
    long bytes = 0;
    String last = "";
    for (Map.Entry<String, T> entry : complete.entrySet()) {
      if (items.size() == size || bytes > MOST_BYTES) {
        return new Page<>(items, last);
      }
      items.add(entry.getValue());
      bytes += entry.getValue().getSerializedSize();
      last = entry.getKey();
    }
    return new Page<>(items, known.orElse(""));
  }
}
