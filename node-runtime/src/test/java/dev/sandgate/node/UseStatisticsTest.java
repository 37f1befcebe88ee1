// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.SnapshotNode.name;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.SnapshotNode;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.Latency;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.UseStatistics;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** How often environments and layers are used, what snapshots take, and what sandboxes share. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UseStatisticsTest {

  private static final long MIB = 1L << 20;
  private static final long WEEK_SECONDS = 7 * 86_400;

  private SnapshotNode host;

  @BeforeAll
  void begin() {
    host = new SnapshotNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private Box box(String environment, String job) {
    return Box.of(
        host.rpc(),
        SandboxSpec.newBuilder()
            .setEnvironment(environment)
            .setUser("root")
            .putLabels("job", job)
            .build());
  }

  private Environment get(String reference) {
    return host.rpc()
        .unary(
            EnvironmentsGrpcClient.Get,
            GetEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  @Test
  void shouldCountUsesOfNamesAndLayersAlsoOverARestart() {
    String name = name();
    long before = get("busybox").getLayers(0).getUses().getCreated();
    Snapshot made;
    try (Box source = box("busybox", "build")) {
      source.says("echo 1 > /f");
      made = source.seal(name);
    }
    assertEquals(0, made.getEnvironment().getUses().getCreated());
    assertFalse(made.getEnvironment().getUses().hasLastUsedAt());
    Box living = box(name, "a");
    Stream.of("a", "a", "b", "").forEach(job -> box(name, job).close());
    host.node().restart();
    Box back = new Box(host.rpc(), living.id());
    UseStatistics uses = get(name).getUses();
    assertEquals(5, uses.getCreated(), uses.toString());
    assertEquals(1, uses.getLiving());
    assertEquals(2, uses.getJobs());
    assertEquals(2.0, uses.getSandboxesPerJob());
    assertTrue(uses.getLastUsedAt().getSeconds() >= uses.getFirstUsedAt().getSeconds());
    assertEquals(1, uses.getWeeksCount());
    assertEquals(5, uses.getWeeks(0).getCreated());
    long since = uses.getLastUsedAt().getSeconds() - uses.getWeeks(0).getBeginsAt().getSeconds();
    assertTrue(since >= 0 && since < WEEK_SECONDS, uses.toString());
    List<UseStatistics> layers =
        get(name).getLayersList().stream().map(layer -> layer.getUses()).toList();
    assertEquals(before + 6, layers.getFirst().getCreated(), "the base has one more: the source");
    assertEquals(5, layers.getLast().getCreated());
    assertEquals(1, layers.getLast().getLiving());
    back.close();
    host.remove(name);
    box("busybox", "").seal(name);
    assertEquals(0, get(name).getUses().getCreated(), "another one of the same name");
    host.remove(name);
  }

  @Test
  void shouldTellHowLongSnapshotsRestoresAndResetsTook() {
    String name = name();
    List<Long> before = counts();
    try (Box source = box("busybox", "")) {
      source.says("echo 1 > /f");
      source.seal(name);
      source.reset();
    }
    box(name, "").close();
    host.remove(name);
    List<Long> after = counts();
    for (int i = 0; i < before.size(); i++) {
      assertEquals(before.get(i) + 1, after.get(i), after.toString());
    }
  }

  private List<Long> counts() {
    List<Latency> all =
        host.rpc()
            .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
            .getNodes(0)
            .getLatenciesList();
    return Stream.of("snapshot", "snapshot_frozen", "restore", "reset")
        .map(
            name ->
                all.stream()
                    .filter(latency -> latency.getOperation().equals(name))
                    .findFirst()
                    .orElseThrow()
                    .getCount())
        .toList();
  }

  @Test
  void shouldKeepPagesOfALayerOnceForAllSandboxes() {
    String name = name();
    try (Box source = box("busybox", "")) {
      source.says("dd if=/dev/zero of=/big bs=1M count=48");
      source.seal(name);
    }
    try (Box first = box(name, "");
        Box second = box(name, "")) {
      first.says("cat /big > /dev/null");
      long before = memory(second);
      second.says("cat /big > /dev/null");
      long read = memory(second);
      assertTrue(read - before < 4 * MIB, "reading what is shared took " + (read - before));
      second.says("cp /big /own");
      long own = memory(second) - read;
      assertTrue(own > 40 * MIB, "a file of its own is seen: " + own);
    }
    host.remove(name);
  }

  private long memory(Box box) {
    return host.rpc()
        .unary(
            SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(box.id()).build())
        .getUsage()
        .getMemoryBytes();
  }
}
