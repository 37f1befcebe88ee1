// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentVersion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pages of what a name stood for on several nodes, whose clocks and versions differ. */
final class MergedHistoryTest {

  private static final int MANY = 5_000;

  /** Youngest first. */
  private static List<EnvironmentVersion> versions(int late, IntPredicate has) {
    return IntStream.range(0, MANY)
        .map(i -> MANY - 1 - i)
        .filter(has)
        .mapToObj(number -> version("d" + number, number + late))
        .toList();
  }

  private static EnvironmentVersion version(String digest, int created) {
    return EnvironmentVersion.newBuilder()
        .setEnvironment(
            Environment.newBuilder()
                .setDigest(digest)
                .setSandboxes(1)
                .setUser("u".repeat(1_000))
                .setCreatedAt(Timestamp.newBuilder().setSeconds(created)))
        .setPlace("%06d".formatted(MANY - created + 100))
        .build();
  }

  /** As a node answers. */
  private static EnvironmentHistory page(List<EnvironmentVersion> all, String after, int size) {
    List<EnvironmentVersion> left =
        all.stream().filter(version -> version.getPlace().compareTo(after) > 0).toList();
    EnvironmentHistory.Builder page = EnvironmentHistory.newBuilder();
    left.stream().limit(size).forEach(page::addVersions);
    return left.size() > size
        ? page.setNextPageToken(left.get(size - 1).getPlace()).build()
        : page.build();
  }

  private static List<EnvironmentVersion> all(
      Map<String, List<EnvironmentVersion>> nodes, int ofNode, int size) {
    List<EnvironmentVersion> all = new ArrayList<>();
    String token = "";
    do {
      NodeCursor cursor = NodeCursor.parse("page_token", token);
      List<MergedHistory.Source> sources =
          nodes.entrySet().stream()
              .map(
                  node ->
                      new MergedHistory.Source(
                          node.getKey(), page(node.getValue(), cursor.of(node.getKey()), ofNode)))
              .toList();
      EnvironmentHistory page = MergedHistory.page(sources, cursor, size);
      assertTrue(page.getSerializedSize() < 1 << 20, page.getVersionsCount() + " in a page");
      assertTrue(page.getVersionsCount() > 0, "a page with nothing");
      all.addAll(page.getVersionsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty() && all.size() <= MANY);
    return all;
  }

  private static List<String> digests(List<EnvironmentVersion> versions) {
    return versions.stream().map(version -> version.getEnvironment().getDigest()).toList();
  }

  @Test
  void shouldGiveEachVersionOnceYoungestFirstInPagesThatAMessageHolds() {
    Map<String, List<EnvironmentVersion>> nodes = new TreeMap<>();
    nodes.put("n1", versions(0, number -> number % 3 != 0));
    nodes.put("n2", versions(7, number -> number % 3 != 1));
    nodes.put("n3", versions(0, number -> number < 1_000));
    List<EnvironmentVersion> all = all(nodes, 400, 0);
    assertEquals(MANY, digests(all).stream().distinct().count());
    assertEquals(MANY, all.size());
    int sandboxes = all.stream().mapToInt(one -> one.getEnvironment().getSandboxes()).sum();
    assertEquals(nodes.values().stream().mapToInt(List::size).sum(), sandboxes, "none is lost");
    for (List<EnvironmentVersion> of : nodes.values()) {
      List<String> own = digests(of);
      assertEquals(own, digests(all).stream().filter(new HashSet<>(own)::contains).toList());
    }
  }

  @Test
  void shouldGoOnWhereAPageEndedWhateverItsSize() {
    Map<String, List<EnvironmentVersion>> same = new TreeMap<>();
    same.put("n1", versions(0, number -> number < 100));
    same.put("n2", versions(3, number -> number < 100));
    for (int size : new int[] {1, 7, 1_000}) {
      List<EnvironmentVersion> all = all(same, size, size);
      assertEquals(digests(same.get("n1")), digests(all));
      assertTrue(all.stream().allMatch(one -> one.getEnvironment().getSandboxes() == 2));
      assertTrue(all.stream().allMatch(one -> one.getPlace().isEmpty()));
    }
  }

  @Test
  void shouldTellAContentThatCameBackTwice() {
    List<EnvironmentVersion> node = List.of(version("a", 3), version("b", 2), version("a", 1));
    assertEquals(List.of("a", "b", "a"), digests(all(Map.of("n1", node), 10, 10)));
    Map<String, List<EnvironmentVersion>> nodes = new TreeMap<>(Map.of("n1", node, "n2", node));
    assertEquals(List.of("a", "b", "a"), digests(all(nodes, 10, 2)));
  }
}
