// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.FakeServices;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.TrajectoriesGrpcClient;
import dev.sandgate.proto.v1.TrajectoryEntry;
import dev.sandgate.proto.v1.TrajectoryPage;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Trajectories of several nodes through the gateway, over real sockets. */
@ExtendWith(Leaks.class)
final class TrajectoryCallsTest {

  private Vertx vertx;
  private TestNode nodeOne;
  private TestNode nodeTwo;
  private FakeServices one;
  private FakeServices two;
  private Gateway gateway;
  private TestClient client;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    nodeOne = TestNode.start(vertx, "n1");
    nodeTwo = TestNode.start(vertx, "n2");
    one = FakeServices.on(nodeOne);
    two = FakeServices.on(nodeTwo);
    gateway = TestGateway.start(vertx, nodeOne.address(), nodeTwo.address());
    client = TestClient.of(vertx, gateway);
  }

  @AfterEach
  void stop() {
    client.close();
    gateway.close();
    nodeOne.close();
    nodeTwo.close();
    Await.result(vertx.close());
  }

  private static TrajectoryEntry entry(long revision) {
    return TrajectoryEntry.newBuilder().setRevision(revision).setExecId("e" + revision).build();
  }

  private Outcome<TrajectoryPage> export(ListTrajectoryRequest.Builder request) {
    return client.call(TrajectoriesGrpcClient.Export, request.build());
  }

  private static List<Long> revisions(Outcome<TrajectoryPage> outcome) {
    assertEquals(GrpcStatus.OK, outcome.status(), outcome.message());
    List<Long> revisions = new ArrayList<>();
    outcome
        .answers()
        .forEach(page -> page.getEntriesList().forEach(e -> revisions.add(e.getRevision())));
    return revisions;
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }

  @Test
  void shouldMergeWhatAllNodesHaveByRevision() {
    for (long i = 1; i <= 1_000; i++) {
      (i % 3 == 0 ? one : two).trajectory.add(entry(i));
    }
    assertEquals(
        upTo(1_000),
        revisions(export(ListTrajectoryRequest.newBuilder().setJob("j").setPageSize(17))));
  }

  @Test
  void shouldContinueBehindACursorOnEveryNode() {
    one.trajectory.add(entry(1));
    two.trajectory.add(entry(2));
    ListTrajectoryRequest.Builder request = ListTrajectoryRequest.newBuilder().setEpisode("e");
    Outcome<TrajectoryPage> first = export(request);
    assertEquals(upTo(2), revisions(first));
    two.trajectory.add(entry(3));
    one.trajectory.add(entry(4));
    String cursor = first.answers().getLast().getCursor();
    assertEquals(List.of(3L, 4L), revisions(export(request.setAfter(cursor))));
  }

  @Test
  void shouldAskOnlyTheNodeOfASandbox() {
    one.trajectory.add(entry(1));
    two.trajectory.add(entry(2));
    ListTrajectoryRequest.Builder request =
        ListTrajectoryRequest.newBuilder().setSandboxId("sb-n2-aaaaaaaaaaaaaaaaaaaa");
    assertEquals(List.of(2L), revisions(export(request)));
    Outcome<TrajectoryPage> nowhere = export(request.setSandboxId("sb-n9-aaaaaaaaaaaaaaaaaaaa"));
    assertEquals(GrpcStatus.NOT_FOUND, nowhere.status());
  }

  @Test
  void shouldSayWhichNodeIsMissingAndKeepItsPlace() {
    one.trajectory.add(entry(1));
    two.trajectory.add(entry(2));
    nodeTwo.close();
    ListTrajectoryRequest.Builder request = ListTrajectoryRequest.newBuilder().setEpisode("e");
    Outcome<TrajectoryPage> partial = export(request);
    assertEquals(List.of(1L), revisions(partial));
    assertEquals(List.of("n2"), partial.answers().getFirst().getUnreachableNodesList());
  }

  @Test
  void shouldRefuseACursorThatIsNone() {
    Outcome<TrajectoryPage> refused =
        export(ListTrajectoryRequest.newBuilder().setJob("j").setAfter("nonsense!"));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.message().contains("cursor"), refused.message());
  }
}
