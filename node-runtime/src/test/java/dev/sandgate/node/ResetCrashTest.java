// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.NodeProcess;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ResetSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerSettings;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that is killed in the middle of resets, pauses and snapshots. Needs root. */
@Tag("root")
class ResetCrashTest {

  private final String mark = UUID.randomUUID().toString().substring(0, 8);
  private NodeProcess.Places places;
  private NodeProcess node;

  @BeforeEach
  void begin() throws IOException {
    places = NodeProcess.Places.of(mark);
    node = NodeProcess.start(places, "");
    node.rpc().stream(
            EnvironmentsGrpcClient.ImportEnvironment,
            ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build())
        .rest();
  }

  @AfterEach
  void end() throws IOException {
    node.close();
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
      assertEquals(0, spawner.list().size(), "a sandbox is left");
      spawner.stop();
    }
    TestNode.delete(places.run());
    TestNode.delete(places.data());
  }

  private void next(String fault) throws IOException {
    node = NodeProcess.start(places, fault);
  }

  private Sandbox get(String id) {
    return node.rpc()
        .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  /** Fresh and whole, or FAILED and gone. */
  private void judge(String id, String fresh) {
    Sandbox after = get(id);
    if (after.getState() == SandboxState.SANDBOX_STATE_FAILED) {
      assertEquals("LOST", after.getTermination().getReason());
      return;
    }
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, after.getState());
    try (Box box = new Box(node.rpc(), id)) {
      if (!box.says("ls /").contains("mark")) {
        assertEquals(fresh, box.says(Box.MANIFEST));
      }
      assertEquals("on", box.says("echo on"));
    }
  }

  @Test
  void shouldLeaveASandboxWholeOrFailedWheneverItIsKilledInAReset() throws IOException {
    for (int i = 0; i < 5; i++) {
      Box box = Box.of(node.rpc(), "busybox");
      String fresh = box.says(Box.MANIFEST);
      box.says("echo 1 > /mark");
      node.rpc()
          .open(SandboxesGrpcClient.Reset, 0)
          .end(ResetSandboxRequest.newBuilder().setSandboxId(box.id()).build());
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + 2L * i));
      node.kill();
      node.close();
      next("");
      judge(box.id(), fresh);
    }
  }

  @Test
  void shouldGoOnFreshWhenItIsKilledAfterAResetBeforeItIsTold() throws IOException {
    Box box = Box.of(node.rpc(), "busybox");
    String fresh = box.says(Box.MANIFEST);
    box.says("echo 1 > /mark");
    node.close();
    next("after-reset");
    box = new Box(node.rpc(), box.id());
    box.start("runs", "echo on; sleep 1000");
    box.says("true");
    assertThrows(RuntimeException.class, box::reset);
    node.ended();
    node.close();
    next("");
    Box back = new Box(node.rpc(), box.id());
    assertEquals(fresh, back.says(Box.MANIFEST));
    back.seal("quiet");
    back.close();
  }

  @Test
  void shouldTakeBackWhatWasMadeAndNotYetRecordedAsMade() throws IOException {
    node.close();
    next("after-create");
    CreateSandboxRequest request =
        CreateSandboxRequest.newBuilder()
            .setIdempotencyKey("made")
            .setSpec(SandboxSpec.newBuilder().setEnvironment("busybox"))
            .build();
    assertThrows(
        RuntimeException.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, request));
    assertEquals(137, node.ended());
    node.close();
    next("");
    Sandbox made = node.rpc().unary(SandboxesGrpcClient.Create, request);
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, made.getState());
    try (Box box = new Box(node.rpc(), made.getSandboxId())) {
      assertEquals("here", box.says("echo here"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"after-pause-record", "after-pause", "after-resume"})
  void shouldStandStillAgainAndWakeWhereverItIsKilledInAPause(String point) throws IOException {
    node.close();
    next(point);
    Box box = Box.of(node.rpc(), "busybox");
    box.start("counter", "while :; do echo x >> /tmp/count; sleep 0.05; done");
    box.says("until [ -s /tmp/count ]; do sleep 0.05; done");
    assertThrows(
        RuntimeException.class,
        () -> {
          box.pause();
          box.says("true");
        });
    assertEquals(137, node.ended(), "it died " + point);
    node.close();
    next("");
    try (Box back = new Box(node.rpc(), box.id())) {
      Eventually.holds(
          "it stands still", () -> back.get().getState() == SandboxState.SANDBOX_STATE_PAUSED);
      String before = back.says("wc -l < /tmp/count");
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, back.get().getState());
      Eventually.holds("it goes on", () -> !back.says("wc -l < /tmp/count").equals(before));
    }
  }
}
