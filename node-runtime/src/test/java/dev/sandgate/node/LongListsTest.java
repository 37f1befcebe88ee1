// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.store.Database;
import dev.sandgate.node.store.Durability;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentHistoryRequest;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentVersion;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ListEnvironmentLocksRequest;
import dev.sandgate.proto.v1.ListEnvironmentLocksResponse;
import dev.sandgate.proto.v1.ListSnapshotsRequest;
import dev.sandgate.proto.v1.ListSnapshotsResponse;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Lists of many thousand snapshots, locks and versions, whose rows are written while the node is down. */
class LongListsTest {

  private static final int MANY = 12_000;
  private static final int VERSIONS = 5_000;
  private static final String LABEL = "x".repeat(256);

  private static TestNode node;

  @BeforeAll
  static void begin() {
    node = TestNode.start();
    node.stop();
    try (Database database =
        Database.open(node.directory().resolve("node.db"), List.of(), Durability.PROCESS)) {
      database
          .change(
              statements -> {
                for (int i = 0; i < MANY; i++) {
                  String layer = digest("layer " + i);
                  statements.update(
                      "INSERT INTO environments (name, tag, digests, user, created_millis)"
                          + " VALUES (?, 'latest', ?, 'root', ?)",
                      name(i),
                      layer,
                      1_000 + i / 3);
                  statements.update(
                      "INSERT INTO snapshots VALUES (?, ?)", digest(layer), record(i, layer));
                  statements.update(
                      "INSERT INTO environment_locks VALUES (?, 'tool', ?, ?, 1)",
                      "job" + i % 100,
                      "v" + i,
                      layer);
                }
                for (int i = 0; i < VERSIONS; i++) {
                  statements.update(
                      "INSERT INTO environment_versions VALUES (?, 'moved', 'v1', ?, 'u', ?, ?, 0, ?)",
                      i + 1,
                      digest("version " + i),
                      1_000 + i,
                      1_001 + i,
                      Environment.newBuilder().putEnv("LARGE", LABEL).build().toByteArray());
                }
              })
          .join();
    }
    node.begin();
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private static byte[] record(int number, String layer) {
    return Snapshot.newBuilder()
        .setNodeId("n1")
        .setEnvironment(Environment.newBuilder().setDigest(digest(layer)))
        .putLabels("large", number < 5_000 ? LABEL : "")
        .build()
        .toByteArray();
  }

  private static String name(int number) {
    return "s%06d".formatted(number);
  }

  private static String digest(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldListSnapshotsOldestFirstPageByPage() {
    List<String> names = new ArrayList<>();
    String token = "";
    int pages = 0;
    do {
      ListSnapshotsResponse page =
          node.rpc()
              .unary(
                  SnapshotsGrpcClient.List,
                  ListSnapshotsRequest.newBuilder().setPageToken(token).build());
      assertTrue(page.getSerializedSize() < 1 << 20, page.getSnapshotsCount() + " in one message");
      page.getSnapshotsList().forEach(one -> names.add(one.getEnvironment().getName()));
      token = page.getNextPageToken();
      pages++;
    } while (!token.isEmpty() && pages < MANY);
    assertEquals(MANY, names.size());
    assertEquals(List.copyOf(new TreeSet<>(names)), names);
    assertTrue(pages >= MANY / 1_000, pages + " pages");
  }

  @Test
  void shouldTellAHistoryYoungestFirstPageByPage() {
    List<Long> created = new ArrayList<>();
    String token = "";
    do {
      EnvironmentHistory page =
          node.rpc()
              .unary(
                  EnvironmentsGrpcClient.History,
                  EnvironmentHistoryRequest.newBuilder()
                      .setReference("moved:v1")
                      .setPageToken(token)
                      .build());
      assertTrue(page.getSerializedSize() < 1 << 20, page.getVersionsCount() + " in one message");
      for (EnvironmentVersion one : page.getVersionsList()) {
        var time = one.getEnvironment().getCreatedAt();
        created.add(time.getSeconds() * 1_000 + time.getNanos() / 1_000_000);
      }
      token = page.getNextPageToken();
    } while (!token.isEmpty() && created.size() <= VERSIONS);
    assertEquals(
        LongStream.range(0, VERSIONS).map(i -> 1_000 + VERSIONS - 1 - i).boxed().toList(), created);
  }

  @Test
  void shouldListLocksOfAllJobsAndOfOnePageByPage() {
    assertEquals(MANY, locks("", 0).size());
    List<EnvironmentLock> few = locks("job7", 50);
    assertEquals(MANY / 100, few.size());
    assertTrue(few.stream().allMatch(lock -> lock.getJob().equals("job7")));
  }

  private static List<EnvironmentLock> locks(String job, int size) {
    List<EnvironmentLock> all = new ArrayList<>();
    String token = "";
    do {
      ListEnvironmentLocksResponse page =
          node.rpc()
              .unary(
                  EnvironmentsGrpcClient.ListLocks,
                  ListEnvironmentLocksRequest.newBuilder()
                      .setJob(job)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build());
      assertTrue(page.getLocksCount() <= (size == 0 ? 1_000 : size));
      all.addAll(page.getLocksList());
      token = page.getNextPageToken();
    } while (!token.isEmpty() && all.size() <= MANY);
    assertEquals(all.size(), all.stream().distinct().count());
    return all;
  }
}
