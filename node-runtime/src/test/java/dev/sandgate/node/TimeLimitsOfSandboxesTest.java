// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static dev.sandgate.node.support.TestNode.request;
import static dev.sandgate.node.support.TestNode.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Defaults;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.PortData;
import dev.sandgate.proto.v1.PortsGrpcClient;
import dev.sandgate.proto.v1.RenewSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ends sandboxes by itself, and what keeps them. */
class TimeLimitsOfSandboxesTest {

  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private String create(SandboxSpec.Builder spec) {
    return node.rpc()
        .unary(SandboxesGrpcClient.Create, request().setSpec(spec).build())
        .getSandboxId();
  }

  /** Looks without using the sandbox: a list names none. */
  private Sandbox look(String id) {
    ListSandboxesRequest all =
        ListSandboxesRequest.newBuilder()
            .addAllStates(
                List.of(
                    SandboxState.SANDBOX_STATE_RUNNING,
                    SandboxState.SANDBOX_STATE_STOPPING,
                    SandboxState.SANDBOX_STATE_TERMINATED,
                    SandboxState.SANDBOX_STATE_FAILED))
            .build();
    return node.rpc().unary(SandboxesGrpcClient.List, all).getSandboxesList().stream()
        .filter(sandbox -> sandbox.getSandboxId().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private Sandbox ended(String id) {
    return Eventually.value("it ended", () -> look(id), Sandbox::hasEndedAt);
  }

  private void assertAliveAfter(String id, long millis) {
    pass(millis);
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, look(id).getState());
  }

  private static void pass(long millis) {
    long begun = System.nanoTime();
    Eventually.holds(
        "time passes", () -> System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static long between(Timestamp from, Timestamp to) {
    return millis(to) - millis(from);
  }

  private static long millis(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toEpochMilli();
  }

  private void renew(String id, long millis) {
    node.rpc()
        .unary(
            SandboxesGrpcClient.Renew,
            RenewSandboxRequest.newBuilder().setSandboxId(id).setLeaseMillis(millis).build());
  }

  @Test
  void shouldEndASandboxThatNobodyUses() {
    String id = create(spec().setIdleTimeoutMillis(300));
    Sandbox ended = ended(id);
    assertEquals("IDLE_TTL", ended.getTermination().getReason());
    assertEquals(SandboxState.SANDBOX_STATE_TERMINATED, ended.getState());
    long lived = between(ended.getReadyAt(), ended.getEndedAt());
    assertTrue(lived >= 290 && lived < 1_000, lived + " ms");
    assertTrue(!node.host().sandboxIds().contains(id));
  }

  @Test
  void shouldNotCallASandboxIdleWhoseCommandRunsThoughNobodyListens() {
    String id = create(spec().setIdleTimeoutMillis(200));
    var stream = node.rpc().stream(ExecsGrpcClient.Start, start(id, "x", "sleep", "1"));
    stream.next();
    stream.cancel();
    Sandbox ended = ended(id);
    assertEquals("IDLE_TTL", ended.getTermination().getReason());
    long lived = between(ended.getReadyAt(), ended.getEndedAt());
    assertTrue(lived >= 1_190, lived + " ms");
  }

  @Test
  void shouldCountACommandThatCouldNotStartAsOver() {
    String id = create(spec().setIdleTimeoutMillis(200));
    assertThrows(
        Failed.class,
        () -> node.rpc().stream(ExecsGrpcClient.Start, start(id, "x", "nosuch")).rest());
    assertEquals("IDLE_TTL", ended(id).getTermination().getReason());
  }

  @Test
  void shouldCountAnOpenStreamAndEveryRequestAsUse() {
    String id = create(spec().setIdleTimeoutMillis(300));
    var port = node.rpc().open(PortsGrpcClient.Connect, 0);
    port.send(PortData.newBuilder().setSandboxId(id).setPort(7).build());
    port.next();
    assertAliveAfter(id, 800);
    port.cancel();
    for (int i = 0; i < 8; i++) {
      pass(100);
      node.rpc()
          .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build());
    }
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, look(id).getState());
    assertEquals("IDLE_TTL", ended(id).getTermination().getReason());
  }

  @Test
  void shouldEndABusySandboxAtItsLifetimeAndSaySoInItsCommands() {
    String id = create(spec().setLifetimeMillis(400));
    Ran ran =
        Ran.of(node.rpc().stream(ExecsGrpcClient.Start, start(id, "x", "sleep", "30")).rest());
    assertEquals("SESSION", ran.result().getKillReason());
    Sandbox ended = ended(id);
    assertEquals("SESSION", ended.getTermination().getReason());
    long lived = between(ended.getCreatedAt(), ended.getEndedAt());
    assertTrue(lived >= 390 && lived < 1_500, lived + " ms");
  }

  @Test
  void shouldNameTheLimitThatEndsASandboxWhileItIsMade() {
    node.host().faults().hang(Point.CREATE);
    try {
      Failed late = assertThrows(Failed.class, () -> create(spec().setLeaseMillis(50)));
      assertEquals("LEASE_EXPIRED", late.detail().getCode());
      assertTrue(String.valueOf(late.getMessage()).contains("(LEASE)"), late.getMessage());
    } finally {
      node.host().faults().clear(Point.CREATE);
    }
  }

  @Test
  void shouldKeepASandboxWhoseOwnerRenewsItsLease() {
    String id = create(spec().setLeaseMillis(500));
    for (int i = 0; i < 6; i++) {
      pass(200);
      renew(id, 0);
    }
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, look(id).getState());
    assertEquals("LEASE", ended(id).getTermination().getReason());
    Failed late = assertThrows(Failed.class, () -> renew(id, 0));
    assertEquals("LEASE_EXPIRED", late.detail().getCode());
  }

  @Test
  void shouldTellLateCallersWhatEndedTheSandbox() {
    String id = create(spec().setLeaseMillis(500));
    ended(id);
    Failed late =
        assertThrows(
            Failed.class,
            () -> node.rpc().stream(ExecsGrpcClient.Start, start(id, "x", "true")).rest());
    assertEquals(GrpcStatus.FAILED_PRECONDITION, late.status());
    assertEquals(112, late.detail().getNumber());
    assertTrue(String.valueOf(late.getMessage()).contains("LEASE"), late.getMessage());
    assertEquals(
        "LEASE",
        node.rpc()
            .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build())
            .getTermination()
            .getReason());
  }

  @Test
  void shouldForgetAnEndedSandboxAfterAWhile() {
    Capacity usual = Capacity.STANDARD;
    Capacity brief =
        new Capacity(
            usual.sandboxes(),
            usual.execsPerSandbox(),
            usual.endedExecs(),
            usual.recordMemoryBytes(),
            Duration.ZERO);
    try (TestNode forgetful = TestNode.start(config -> TestNode.with(config, brief))) {
      String id = forgetful.create().getSandboxId();
      DeleteSandboxRequest delete = DeleteSandboxRequest.newBuilder().setSandboxId(id).build();
      forgetful.rpc().unary(SandboxesGrpcClient.Delete, delete);
      GetSandboxRequest get = GetSandboxRequest.newBuilder().setSandboxId(id).build();
      GrpcStatus status =
          Eventually.value(
              "it is forgotten",
              () -> {
                try {
                  forgetful.rpc().unary(SandboxesGrpcClient.Get, get);
                  return GrpcStatus.OK;
                } catch (Failed failed) {
                  return failed.status();
                }
              },
              GrpcStatus.NOT_FOUND::equals);
      assertEquals(GrpcStatus.NOT_FOUND, status);
    }
  }

  @Test
  void shouldTakeTheNodesDefaults() {
    Defaults usual = Defaults.STANDARD;
    assertEquals(Duration.ofMinutes(5), usual.idleTimeout());
    Defaults hasty =
        new Defaults(usual.limits(), usual.lifetime(), usual.lease(), Duration.ofMillis(200));
    try (TestNode other = TestNode.start(config -> TestNode.with(config, hasty))) {
      Sandbox made = other.create();
      assertEquals(200, made.getSpec().getIdleTimeoutMillis());
      assertEquals(Duration.ofHours(24).toMillis(), made.getSpec().getLeaseMillis());
      Eventually.holds("it ended", () -> other.host().sandboxIds().isEmpty());
    }
  }

  @Test
  void shouldKeepLeaseAndLifetimeOverARestartAndBeginIdleTimeAnew() {
    String leased = create(spec().setLeaseMillis(1_500));
    String lived = create(spec().setLifetimeMillis(1_500));
    String renewed = create(spec().setLeaseMillis(1_500));
    String idle = create(spec().setIdleTimeoutMillis(900));
    renew(renewed, 60_000);
    pass(500);
    node.stop();
    pass(500);
    node.begin();
    node.node().adopted().join();
    assertAliveAfter(idle, 100);
    Sandbox byLease = ended(leased);
    assertEquals("LEASE", byLease.getTermination().getReason());
    Sandbox bySession = ended(lived);
    assertEquals("SESSION", bySession.getTermination().getReason());
    for (Sandbox ended : List.of(byLease, bySession)) {
      long after = between(ended.getCreatedAt(), ended.getEndedAt());
      assertTrue(after >= 1_490 && after < 3_000, after + " ms");
    }
    assertEquals("IDLE_TTL", ended(idle).getTermination().getReason());
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, look(renewed).getState());
  }
}
