// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.NodeProcess;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.ResetSandboxRequest;
import dev.sandgate.proto.v1.SandboxPool;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.Spawner.Found;
import dev.sandgate.support.spawner.SpawnerSettings;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that is killed while its pool is full, or while blanks become sandboxes. Needs root. */
@Tag("root")
class PoolCrashTest {

  private static final int BLANKS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private NodeProcess.Places places;
  private NodeProcess node;

  @BeforeEach
  void begin() throws IOException {
    places = NodeProcess.Places.of(UUID.randomUUID().toString().substring(0, 8));
    start();
    node.rpc().stream(
            EnvironmentsGrpcClient.ImportEnvironment,
            ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build())
        .rest();
  }

  @AfterEach
  void end() throws IOException {
    node.close();
    assertFalse(Files.exists(places.run()), "a spawner, or what it made, is left");
    TestNode.delete(places.data());
  }

  private void start() throws IOException {
    node = NodeProcess.start(places, "", BLANKS);
  }

  private void killAndStart() throws IOException {
    node.kill();
    node.close();
    start();
  }

  private SandboxPool pool() {
    return node
        .rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getBackendsList()
        .stream()
        .filter(backend -> backend.getName().equals("container"))
        .findFirst()
        .orElseThrow()
        .getSandboxPool();
  }

  private SandboxPool full() {
    return Eventually.value(
        "the pool is full", PATIENCE, this::pool, pool -> pool.getAvailable() == BLANKS);
  }

  private List<Found> found() {
    Path binaries = Path.of(Objects.requireNonNull(System.getProperty("sandgate.native")));
    SpawnerSettings settings =
        new SpawnerSettings(
            binaries.resolve("spawner"),
            binaries.resolve("agent"),
            places.run(),
            places.data().resolve("backends/container"),
            100_000,
            places.cgroup());
    try (Spawner spawner = new Spawner(settings)) {
      return spawner.list();
    }
  }

  private SandboxState state(String id) {
    return node.rpc()
        .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build())
        .getState();
  }

  @Test
  void shouldTakeBackWhatBlanksBecameAndRemoveBlanksThatBecameNothing() throws IOException {
    full();
    Box box = Box.of(node.rpc(), "busybox");
    box.says("echo kept > /mark");
    assertTrue(full().getHits() > 0);
    List<Found> before = found();
    killAndStart();
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, state(box.id()));
    full();
    List<Found> after = found();
    for (Found one : before) {
      boolean isBox = one.id().equals(box.id());
      assertEquals(isBox, after.contains(one), one::toString);
      assertEquals(isBox, ProcessHandle.of(one.pid()).isPresent(), one::toString);
    }
    assertEquals(BLANKS + 1, after.size());
    try (Box again = new Box(node.rpc(), box.id())) {
      assertEquals("kept", again.says("cat /mark"));
    }
    Eventually.value("only blanks are left", PATIENCE, this::found, all -> all.size() == BLANKS);
  }

  @Test
  void shouldLeaveASandboxWholeOrFailedWheneverItIsKilledWhileABlankBecomesIt() throws IOException {
    for (int i = 0; i < 5; i++) {
      full();
      Box box = Box.of(node.rpc(), "busybox");
      box.says("echo 1 > /mark");
      full();
      node.rpc()
          .open(SandboxesGrpcClient.Reset, 0)
          .end(ResetSandboxRequest.newBuilder().setSandboxId(box.id()).build());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + 2L * i));
      killAndStart();
      boolean lives = state(box.id()) == SandboxState.SANDBOX_STATE_RUNNING;
      assertTrue(lives || state(box.id()) == SandboxState.SANDBOX_STATE_FAILED);
      assertEquals(lives, found().stream().anyMatch(one -> one.id().equals(box.id())));
      if (lives) {
        try (Box again = new Box(node.rpc(), box.id())) {
          assertEquals("on", again.says("echo on"));
        }
      }
    }
  }
}
