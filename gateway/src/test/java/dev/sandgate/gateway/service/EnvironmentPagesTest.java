// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Pages of what several nodes list, each page by page. */
final class EnvironmentPagesTest {

  private static String key(Environment one) {
    return one.getName() + ":" + one.getTag() + "@" + one.getDigest();
  }

  private static Environment named(int number) {
    return Environment.newBuilder()
        .setName("e%04d".formatted(number))
        .setTag("latest")
        .setDigest("sha256:" + number)
        .build();
  }

  private static ListEnvironmentsResponse node(List<Environment> all, String after, int size) {
    List<Environment> left = all.stream().filter(one -> key(one).compareTo(after) > 0).toList();
    ListEnvironmentsResponse.Builder page = ListEnvironmentsResponse.newBuilder();
    left.stream().limit(size).forEach(page::addEnvironments);
    return left.size() > size
        ? page.setNextPageToken(key(left.get(size - 1))).build()
        : page.build();
  }

  @Test
  void shouldGiveEachOnceHoweverTheyAreSpread() {
    List<Environment> one = new ArrayList<>();
    List<Environment> two = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      if (i < 300 || i % 7 == 0) {
        one.add(named(i));
      }
      if (i > 250 || i % 3 == 0) {
        two.add(named(i));
      }
    }
    List<String> seen = new ArrayList<>();
    String token = "";
    int pages = 0;
    do {
      ListEnvironmentsResponse page =
          EnvironmentCalls.page(List.of(node(one, token, 50), node(two, token, 50)), 50);
      assertTrue(page.getEnvironmentsCount() <= 50 && page.getEnvironmentsCount() > 0);
      page.getEnvironmentsList().forEach(found -> seen.add(key(found)));
      token = page.getNextPageToken();
      pages++;
    } while (!token.isEmpty() && pages < 100);
    assertEquals(700, seen.size());
    assertEquals(List.copyOf(new TreeSet<>(seen)), seen);
  }

  @Test
  void shouldEndAPageOfLargeOnesBeforeItIsTooLargeForAMessage() {
    List<Environment> large = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      large.add(named(i).toBuilder().setUser("x".repeat(20_000)).build());
    }
    List<String> seen = new ArrayList<>();
    String token = "";
    do {
      ListEnvironmentsResponse page =
          EnvironmentCalls.page(List.of(node(large, token, 70), node(large, token, 60)), 0);
      assertTrue(page.getSerializedSize() < 1 << 20, page.getEnvironmentsCount() + " in a page");
      page.getEnvironmentsList().forEach(found -> seen.add(key(found)));
      token = page.getNextPageToken();
    } while (!token.isEmpty() && seen.size() <= 100);
    assertEquals(large.stream().map(EnvironmentPagesTest::key).toList(), seen);
  }
}
