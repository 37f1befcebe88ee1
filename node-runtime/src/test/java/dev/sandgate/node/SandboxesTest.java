// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.TestNode.request;
import static dev.sandgate.node.support.TestNode.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Creating, showing, listing and deleting sandboxes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SandboxesTest {

  private TestNode node;

  @BeforeAll
  void start() {
    node = TestNode.start();
  }

  @AfterAll
  void stop() {
    node.close();
  }

  private Sandbox create(CreateSandboxRequest request) {
    return node.rpc().unary(SandboxesGrpcClient.Create, request);
  }

  private Sandbox get(String id) {
    return node.rpc()
        .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  private boolean delete(String id) {
    return node.rpc()
        .unary(
            SandboxesGrpcClient.Delete, DeleteSandboxRequest.newBuilder().setSandboxId(id).build())
        .getExisted();
  }

  @Test
  void shouldFillInEveryDefaultAndShowWhatWasAsked() {
    Sandbox made =
        create(
            request()
                .setSpec(
                    spec()
                        .putEnv("SECRET", "s3cret")
                        .putLabels("job", "j1")
                        .setUser("root")
                        .setLimits(Limits.newBuilder().setPids(64)))
                .build());

    assertTrue(made.getSandboxId().matches("sb-n1-[a-z2-7]{20}"), made.getSandboxId());
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, made.getState());
    assertEquals(64, made.getSpec().getLimits().getPids());
    assertEquals(1_000, made.getSpec().getLimits().getCpuMillis());
    assertEquals(QosClass.QOS_CLASS_BEST_EFFORT, made.getSpec().getQosClass());
    assertEquals(made.getSandboxId(), made.getSpec().getHostname());
    assertEquals("", made.getSpec().getEnvOrThrow("SECRET"));
    assertTrue(made.getCreateMicros() > 0);

    Sandbox shown = get(made.getSandboxId());
    assertEquals(made.getSpec(), shown.getSpec());
    assertTrue(shown.hasUsage());
    delete(made.getSandboxId());
  }

  @Test
  void shouldDeleteOnceAndSayWhetherItExisted() {
    String id = node.create().getSandboxId();
    assertTrue(delete(id));
    assertFalse(node.host().sandboxIds().contains(id));
    assertFalse(delete(id));
    assertFalse(delete("sb-n1-aaaaaaaaaaaaaaaaaaaa"));
    Sandbox ended = get(id);
    assertEquals(SandboxState.SANDBOX_STATE_TERMINATED, ended.getState());
    assertEquals("DELETED", ended.getTermination().getReason());
  }

  @Test
  void shouldListNewestFirstPageByPageByLabel() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      made.addFirst(
          create(request().setSpec(spec().putLabels("job", "paged")).build()).getSandboxId());
    }
    ListSandboxesRequest.Builder list =
        ListSandboxesRequest.newBuilder().putLabels("job", "paged").setPageSize(2);
    List<String> seen = new ArrayList<>();
    ListSandboxesResponse page;
    do {
      page = node.rpc().unary(SandboxesGrpcClient.List, list.build());
      assertTrue(page.getSandboxesCount() <= 2);
      page.getSandboxesList().forEach(sandbox -> seen.add(sandbox.getSandboxId()));
      list.setPageToken(page.getNextPageToken());
    } while (!page.getNextPageToken().isEmpty());
    assertEquals(made, seen);
    made.forEach(this::delete);
    assertEquals(
        0,
        node.rpc()
            .unary(
                SandboxesGrpcClient.List,
                ListSandboxesRequest.newBuilder().putLabels("job", "paged").build())
            .getSandboxesCount());
  }

  @Test
  void shouldLeaveNothingWhenACreateTimesOut() {
    Set<String> before = node.host().sandboxIds();
    node.host().faults().hang(Point.CREATED);
    try {
      Failed failed =
          assertThrows(Failed.class, () -> create(request().setTimeoutMillis(100).build()));
      assertEquals(GrpcStatus.DEADLINE_EXCEEDED, failed.status());
    } finally {
      node.host().faults().clear(Point.CREATED);
    }
    Eventually.holds("nothing is left", () -> node.host().sandboxIds().equals(before));
  }

  @Test
  void shouldPassTheBackendsErrorOn() {
    node.host().faults().fail(Point.CREATE, ErrorCode.ROOTFS_UNSAFE, 1);
    Failed failed = assertThrows(Failed.class, () -> create(request().build()));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, failed.status());
    assertEquals("ROOTFS_UNSAFE", failed.detail().getCode());
    assertEquals(108, failed.detail().getNumber());
    assertEquals("n1", failed.detail().getNodeId());
  }

  @Test
  void shouldGiveTheSameSandboxForTheSameKey() throws Exception {
    int before = node.host().sandboxIds().size();
    CreateSandboxRequest keyed = request().setIdempotencyKey("key-1").build();
    List<Thread> threads = new ArrayList<>();
    Set<String> ids = java.util.concurrent.ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 50; i++) {
      threads.add(Thread.ofVirtual().start(() -> ids.add(create(keyed).getSandboxId())));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(1, ids.size(), ids.toString());
    assertEquals(before + 1, node.host().sandboxIds().size());

    Failed failed =
        assertThrows(
            Failed.class,
            () -> create(keyed.toBuilder().setSpec(spec().putLabels("other", "yes")).build()));
    assertEquals(GrpcStatus.ALREADY_EXISTS, failed.status());
    assertEquals("idempotency_key", failed.detail().getField());
    delete(ids.iterator().next());
  }

  @Test
  void shouldFreeTheKeyOfACreateThatFailed() {
    node.host().faults().fail(Point.CREATE, ErrorCode.RESOURCE_EXHAUSTED, 1);
    CreateSandboxRequest keyed = request().setIdempotencyKey("key-2").build();
    Failed failed = assertThrows(Failed.class, () -> create(keyed));
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, failed.status());
    assertTrue(failed.detail().getRetryAfterMillis() > 0);
    delete(create(keyed).getSandboxId());
  }

  @Test
  void shouldTakeAnAssignedIdOfThisNodeOnly() {
    String id = "sb-n1-abcdefghijklmnopqrst";
    assertEquals(id, create(request().setAssignedId(id).build()).getSandboxId());
    Failed again = assertThrows(Failed.class, () -> create(request().setAssignedId(id).build()));
    assertEquals(GrpcStatus.ALREADY_EXISTS, again.status());
    Failed other =
        assertThrows(
            Failed.class,
            () -> create(request().setAssignedId("sb-n2-abcdefghijklmnopqrst").build()));
    assertEquals("assigned_id", other.detail().getField());
    delete(id);
  }

  @Test
  void shouldDeleteASandboxThatIsBeingMade() {
    String id = "sb-n1-22222222222222222222";
    node.host().faults().hang(Point.CREATE);
    try {
      var creating =
          node.rpc().stream(SandboxesGrpcClient.Create, request().setAssignedId(id).build());
      Eventually.holds(
          "it is being made",
          () ->
              node
                  .rpc()
                  .unary(
                      SandboxesGrpcClient.List,
                      ListSandboxesRequest.newBuilder()
                          .addStates(SandboxState.SANDBOX_STATE_CREATING)
                          .build())
                  .getSandboxesList()
                  .stream()
                  .anyMatch(sandbox -> sandbox.getSandboxId().equals(id)));
      assertTrue(delete(id));
      assertThrows(Failed.class, creating::only);
    } finally {
      node.host().faults().clear(Point.CREATE);
    }
    assertEquals("DELETED", get(id).getTermination().getReason());
    assertFalse(node.host().sandboxIds().contains(id));
  }

  @Test
  void shouldSayWhyASandboxEndedByItself() {
    String guest = node.create().getSandboxId();
    String channel = node.create().getSandboxId();
    node.host().kill(guest, Reason.GUEST);
    node.host().kill(channel, Reason.CHANNEL_LOST);
    Sandbox ended =
        Eventually.value(
            "terminated",
            () -> get(guest),
            sandbox -> sandbox.getState() == SandboxState.SANDBOX_STATE_TERMINATED);
    assertEquals("GUEST", ended.getTermination().getReason());
    Sandbox failed =
        Eventually.value(
            "failed",
            () -> get(channel),
            sandbox -> sandbox.getState() == SandboxState.SANDBOX_STATE_FAILED);
    assertEquals("CHANNEL_LOST", failed.getTermination().getReason());
  }

  @Test
  void shouldEndASandboxWhoseLifetimeIsOver() {
    String id = create(request().setSpec(spec().setLifetimeMillis(500)).build()).getSandboxId();
    Sandbox ended =
        Eventually.value(
            "ended",
            () -> get(id),
            sandbox -> sandbox.getState() == SandboxState.SANDBOX_STATE_TERMINATED);
    assertEquals("SESSION", ended.getTermination().getReason());
  }

  @Test
  void shouldNotFindWhatIsNotHere() {
    Failed failed = assertThrows(Failed.class, () -> get("sb-n1-zzzzzzzzzzzzzzzzzzzz"));
    assertEquals(GrpcStatus.NOT_FOUND, failed.status());
    assertEquals("sandbox_id", failed.detail().getField());
    Set<String> ids = Set.of("../x", "a/b", "x".repeat(300), "ünïcode", "A");
    Set<GrpcStatus> statuses =
        ids.stream()
            .map(id -> assertThrows(Failed.class, () -> get(id)).status())
            .collect(Collectors.toSet());
    assertEquals(Set.of(GrpcStatus.INVALID_ARGUMENT), statuses);
  }
}
