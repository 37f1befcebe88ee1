// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Containers that are paused because nobody uses them. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdlePauseTest {

  private ContainerNode host;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private Box box(SandboxSpec.Builder spec) {
    return Box.of(host.rpc(), spec.setEnvironment("busybox").setUser("root").build());
  }

  /** Looks without using it: a list names none. */
  private Sandbox look(Box box) {
    ListSandboxesRequest alive =
        ListSandboxesRequest.newBuilder()
            .addAllStates(
                List.of(SandboxState.SANDBOX_STATE_RUNNING, SandboxState.SANDBOX_STATE_PAUSED))
            .build();
    return host.rpc().unary(SandboxesGrpcClient.List, alive).getSandboxesList().stream()
        .filter(sandbox -> sandbox.getSandboxId().equals(box.id()))
        .findFirst()
        .orElseThrow();
  }

  private boolean isPaused(Box box) {
    return look(box).getState() == SandboxState.SANDBOX_STATE_PAUSED;
  }

  @Test
  void shouldPauseWhatNobodyUsesAndWakeItForTheNextCallEachTime() {
    try (Box box = box(SandboxSpec.newBuilder().setIdlePauseMillis(300))) {
      for (int i = 1; i <= 3; i++) {
        long used = System.nanoTime();
        assertEquals(String.valueOf(i), box.says("echo x >> /tmp/lines; wc -l < /tmp/lines"));
        Eventually.holds("it is paused", () -> isPaused(box));
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - used);
        assertTrue(millis >= 300 && millis < 3_000, "paused after " + millis + " ms");
      }
    }
  }

  @Test
  void shouldNotPauseWhileACommandRunsThoughNobodyListens() {
    try (Box box = box(SandboxSpec.newBuilder().setIdlePauseMillis(100))) {
      var listener = box.start("works", "sleep 1; echo done > /tmp/done");
      listener.next();
      listener.cancel();
      Eventually.holds("it is paused", () -> isPaused(box));
      assertEquals("done", box.says("cat /tmp/done"));
    }
  }

  @Test
  void shouldLetItStandStillBeyondItsIdleTimeout() {
    SandboxSpec.Builder spec =
        SandboxSpec.newBuilder().setIdlePauseMillis(100).setIdleTimeoutMillis(600);
    try (Box box = box(spec)) {
      Eventually.holds("it is paused", () -> isPaused(box));
      long since = look(box).getPausedAt().getSeconds();
      Eventually.holds("time passes", () -> System.currentTimeMillis() / 1_000 > since + 1);
      assertEquals("here", box.says("echo here"));
    }
  }

  @Test
  void shouldGoOnPausingAfterARestartOfTheNode() {
    Box before = box(SandboxSpec.newBuilder().setIdlePauseMillis(200));
    Eventually.holds("it is paused", () -> isPaused(before));
    host.node().restart();
    try (Box box = new Box(host.rpc(), before.id())) {
      assertEquals("here", box.says("echo here"));
      Eventually.holds("it is paused again", () -> isPaused(box));
    }
  }

  @Test
  void shouldRefuseATimeThatIsNone() {
    Failed refused =
        assertThrows(Failed.class, () -> box(SandboxSpec.newBuilder().setIdlePauseMillis(-1)));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertTrue(String.valueOf(refused.getMessage()).contains("idle_pause_millis"));
  }
}
