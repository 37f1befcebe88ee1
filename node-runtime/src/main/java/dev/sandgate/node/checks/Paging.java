// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.checks;

import com.google.protobuf.MessageLite;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Which page of a list is wanted. A list has keys in order, and the last key of a page is the token for the next: what comes or
 * goes meanwhile disturbs nothing else.
 *
 * @param size at most so many items
 * @param after the key of the last item that was given, or empty
 */
public record Paging(int size, String after) {

  private static final int MOST = 1_000;
  private static final int MOST_BYTES = 1 << 19;
  private static final int MOST_TOKEN = 1_024;

  /** As a request says. */
  public static Paging of(int pageSize, String pageToken) {
    return new Paging(
        (int) Fields.rangeOr("page_size", pageSize, 1, MOST, MOST),
        Fields.text("page_token", pageToken, MOST_TOKEN));
  }

  /** Gives the items of the page, of which only these are made; returns the token for the next page, empty at the end. */
  public <T extends MessageLite> String fill(
      NavigableMap<String, Supplier<T>> all, Consumer<T> page) {
    int count = 0;
    long bytes = 0;
    String last = "";
    for (Map.Entry<String, Supplier<T>> entry : all.tailMap(after, false).entrySet()) {
      if (count == size || bytes > MOST_BYTES) {
        return last;
      }
      T item = entry.getValue().get();
      page.accept(item);
      bytes += item.getSerializedSize();
      count++;
      last = entry.getKey();
    }
    return "";
  }
}
