// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.spi.SandgateException;
import java.util.Map;
import java.util.Set;

/**
 * A page of sandboxes, newest first.
 *
 * @param labels that must all match
 * @param states any of these; empty for all that live
 * @param size at most so many
 * @param before only those older than this one
 */
record Listing(Map<String, String> labels, Set<SandboxState> states, int size, long before) {

  private static final int RADIX = 36;

  static Listing of(ListSandboxesRequest request) {
    return new Listing(
        request.getLabelsMap(),
        Set.copyOf(request.getStatesList()),
        (int) Fields.rangeOr("page_size", request.getPageSize(), 1, 1_000, 100),
        token(request.getPageToken()));
  }

  ListSandboxesResponse page(Registry registry) {
    ListSandboxesResponse.Builder page = ListSandboxesResponse.newBuilder();
    long last = 0;
    for (LiveSandbox live : registry.newestFirst().tailMap(before, false).values()) {
      Sandbox record = live.secret();
      if (!matches(record)) {
        continue;
      }
      if (page.getSandboxesCount() == size) {
        return page.setNextPageToken(Long.toString(last, RADIX)).build();
      }
      page.addSandboxes(live.shown());
      last = live.sequence();
    }
    return page.build();
  }

  private boolean matches(Sandbox record) {
    boolean state =
        states.isEmpty() ? !Lifecycle.ended(record.getState()) : states.contains(record.getState());
    return state && record.getSpec().getLabelsMap().entrySet().containsAll(labels.entrySet());
  }

  private static long token(String token) {
    if (token.isEmpty()) {
      return Long.MAX_VALUE;
    }
    try {
      return Long.parseLong(token, RADIX);
    } catch (NumberFormatException e) {
      throw new SandgateException(
          dev.sandgate.spi.ErrorCode.INVALID_ARGUMENT,
          "page_token",
          "page_token: give the next_page_token of an earlier answer",
          e);
    }
  }
}
