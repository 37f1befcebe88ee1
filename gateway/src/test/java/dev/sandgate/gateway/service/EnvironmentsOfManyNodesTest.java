// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import static dev.sandgate.gateway.service.NodeAnswers.answers;
import static dev.sandgate.gateway.service.NodeAnswers.fails;
import static dev.sandgate.gateway.service.NodeAnswers.says;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.sandgate.gateway.Await;
import dev.sandgate.gateway.Gateway;
import dev.sandgate.gateway.Leaks;
import dev.sandgate.gateway.TestClient;
import dev.sandgate.gateway.TestClient.Outcome;
import dev.sandgate.gateway.TestGateway;
import dev.sandgate.gateway.TestNode;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentHistoryRequest;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentVersion;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.ExportedImage;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.LockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentResponse;
import dev.sandgate.proto.v1.UseStatistics;
import dev.sandgate.proto.v1.WeekOfUse;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Names, locks, uses and exports of two nodes together, over real sockets. */
@ExtendWith(Leaks.class)
final class EnvironmentsOfManyNodesTest {

  private static final int PARTS = 300;
  private static final ByteString PART = ByteString.copyFrom(new byte[64 << 10]);

  private Vertx vertx;
  private TestNode one;
  private TestNode two;
  private Gateway gateway;
  private TestClient client;

  @BeforeEach
  void start() {
    vertx = TestGateway.vertx();
    one = TestNode.start(vertx, "n1");
    two = TestNode.start(vertx, "n2");
    gateway = TestGateway.start(vertx, one.address(), two.address());
    client = TestClient.of(vertx, gateway);
  }

  @AfterEach
  void stop() {
    client.close();
    gateway.close();
    one.close();
    two.close();
    Await.result(vertx.close());
  }

  private Outcome<EnvironmentLock> lock() {
    return client.call(
        EnvironmentsGrpcClient.Lock,
        LockEnvironmentRequest.newBuilder().setJob("j").setReference("base").build());
  }

  @Test
  void shouldLockOnEveryNodeThatHasTheNameOrFail() {
    EnvironmentLock lock = EnvironmentLock.newBuilder().setJob("j").setName("base").build();
    answers(one, EnvironmentsGrpcService.Lock, says(lock), says(lock), fails(Code.NOT_FOUND));
    answers(
        two,
        EnvironmentsGrpcService.Lock,
        fails(Code.NOT_FOUND),
        fails(Code.RESOURCE_EXHAUSTED),
        fails(Code.NOT_FOUND));
    assertEquals(List.of(lock), lock().answers());
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, lock().status());
    assertEquals(GrpcStatus.NOT_FOUND, lock().status());
  }

  @Test
  void shouldUnlockOnEveryNode() {
    UnlockEnvironmentRequest request = UnlockEnvironmentRequest.newBuilder().setJob("j").build();
    answers(one, EnvironmentsGrpcService.Unlock, says(released(1)), fails(Code.INTERNAL));
    answers(two, EnvironmentsGrpcService.Unlock, says(released(2)));
    assertEquals(
        List.of(released(2)), client.call(EnvironmentsGrpcClient.Unlock, request).answers());
    assertEquals(GrpcStatus.INTERNAL, client.call(EnvironmentsGrpcClient.Unlock, request).status());
  }

  private static UnlockEnvironmentResponse released(int count) {
    return UnlockEnvironmentResponse.newBuilder().setReleased(count).build();
  }

  private static UseStatistics uses(long created, long jobs, long first, long last, long week) {
    return UseStatistics.newBuilder()
        .setCreated(created)
        .setLiving(1)
        .setJobs(jobs)
        .setSandboxesPerJob((double) created / jobs)
        .setFirstUsedAt(Timestamp.newBuilder().setSeconds(first))
        .setLastUsedAt(Timestamp.newBuilder().setSeconds(last))
        .addWeeks(
            WeekOfUse.newBuilder()
                .setBeginsAt(Timestamp.newBuilder().setSeconds(week))
                .setCreated(created))
        .build();
  }

  private static Environment environment(UseStatistics uses) {
    return Environment.newBuilder()
        .setName("base")
        .setTag("latest")
        .setDigest("sha256:1")
        .setSandboxes(1)
        .setUses(uses)
        .addLayers(LayerInfo.newBuilder().setDigest("sha256:2").setUses(uses))
        .build();
  }

  @Test
  void shouldAddUpTheUsesOfTheNodes() {
    answers(one, EnvironmentsGrpcService.Get, says(environment(uses(6, 3, 50, 90, 7))));
    answers(two, EnvironmentsGrpcService.Get, says(environment(uses(4, 2, 40, 80, 14))));
    Environment both =
        client
            .call(
                EnvironmentsGrpcClient.Get,
                GetEnvironmentRequest.newBuilder().setReference("base").build())
            .answers()
            .getFirst();
    UseStatistics uses = both.getUses();
    assertEquals(2, both.getSandboxes());
    assertEquals(10, uses.getCreated());
    assertEquals(2, uses.getLiving());
    assertEquals(3, uses.getJobs());
    assertEquals(10.0 / 3, uses.getSandboxesPerJob());
    assertEquals(40, uses.getFirstUsedAt().getSeconds());
    assertEquals(90, uses.getLastUsedAt().getSeconds());
    assertEquals(
        List.of(14L, 7L),
        uses.getWeeksList().stream().map(week -> week.getBeginsAt().getSeconds()).toList());
    assertEquals(uses, both.getLayers(0).getUses());
  }

  @Test
  void shouldRemoveOfTheSharedOnlyWhatNoNodeNeeds() {
    Queue<CollectSharedRequest> asked = new ConcurrentLinkedQueue<>();
    needs(one, "a", asked);
    answers(
        two,
        EnvironmentsGrpcService.CollectShared,
        says(CollectSharedResponse.newBuilder().setPlace("/tier").addNeeded("b").build()),
        fails(Code.FAILED_PRECONDITION),
        fails(Code.NODE_UNREACHABLE));
    assertEquals("/tier", collect().answers().getFirst().getPlace());
    assertEquals(List.of(List.of("own"), List.of("a", "b", "own")), needed(asked));
    assertEquals(GrpcStatus.OK, collect().status(), "one that shares nothing needs nothing");
    assertEquals(List.of(List.of("own"), List.of("a", "own")), needed(asked));
    assertEquals(GrpcStatus.UNAVAILABLE, collect().status(), "one that says nothing may");
    assertEquals(List.of(List.of("own")), needed(asked));
  }

  /** What was said to be needed in each call since the last time, in calls that remove last. */
  private static List<List<String>> needed(Queue<CollectSharedRequest> asked) {
    List<CollectSharedRequest> calls = List.copyOf(asked);
    asked.clear();
    for (int i = 0; i < calls.size(); i++) {
      assertEquals(i == 1, calls.get(i).getRemove());
    }
    return calls.stream().map(call -> List.copyOf(call.getNeededList())).toList();
  }

  private Outcome<CollectSharedResponse> collect() {
    return client.call(
        EnvironmentsGrpcClient.CollectShared,
        CollectSharedRequest.newBuilder().setRemove(true).addNeeded("own").build());
  }

  private static void needs(TestNode node, String layer, Queue<CollectSharedRequest> asked) {
    CollectSharedResponse answer =
        CollectSharedResponse.newBuilder().setPlace("/tier").addNeeded(layer).build();
    node.grpc()
        .callHandler(
            EnvironmentsGrpcService.CollectShared,
            request ->
                request.handler(
                    order -> {
                      asked.add(order);
                      request.response().end(answer);
                    }));
  }

  private static EnvironmentVersion version(String digest, long created, boolean usable) {
    return EnvironmentVersion.newBuilder()
        .setEnvironment(
            Environment.newBuilder()
                .setDigest(digest)
                .setSandboxes(1)
                .setCreatedAt(Timestamp.newBuilder().setSeconds(created)))
        .setUsable(usable)
        .build();
  }

  @Test
  void shouldTellEachVersionOnceYoungestFirst() {
    answers(
        one,
        EnvironmentsGrpcService.History,
        says(
            EnvironmentHistory.newBuilder()
                .addVersions(version("c", 30, true))
                .addVersions(version("a", 10, false))
                .build()));
    answers(
        two,
        EnvironmentsGrpcService.History,
        says(
            EnvironmentHistory.newBuilder()
                .addVersions(version("c", 31, true))
                .addVersions(version("b", 20, true))
                .addVersions(version("a", 11, true))
                .build()));
    List<EnvironmentVersion> all =
        client
            .call(
                EnvironmentsGrpcClient.History,
                EnvironmentHistoryRequest.newBuilder().setReference("base").build())
            .answers()
            .getFirst()
            .getVersionsList();
    assertEquals(
        List.of("c", "b", "a"), all.stream().map(v -> v.getEnvironment().getDigest()).toList());
    assertEquals(
        List.of(2, 1, 2), all.stream().map(v -> v.getEnvironment().getSandboxes()).toList());
    assertEquals(List.of(true, true, true), all.stream().map(v -> v.getUsable()).toList());
  }

  @Test
  void shouldPassAnExportOnFromTheNodeThatHasIt() {
    answers(one, EnvironmentsGrpcService.Get, fails(Code.NOT_FOUND));
    Environment there = environment(UseStatistics.getDefaultInstance());
    answers(two, EnvironmentsGrpcService.Get, says(there));
    ExportEnvironmentResponse last =
        ExportEnvironmentResponse.newBuilder()
            .setImage(ExportedImage.newBuilder().setLayers(7))
            .build();
    answers(
        two,
        EnvironmentsGrpcService.Export,
        response -> {
          for (int i = 0; i < PARTS; i++) {
            var _ = response.write(ExportEnvironmentResponse.newBuilder().setData(PART).build());
          }
          var _ = response.end(last);
        },
        fails(Code.FAILED_PRECONDITION));
    Outcome<ExportEnvironmentResponse> export = export();
    assertEquals(GrpcStatus.OK, export.status());
    assertEquals(PARTS + 1, export.answers().size());
    assertEquals(last, export.answers().getLast());
    assertEquals(GrpcStatus.FAILED_PRECONDITION, export().status());
  }

  private Outcome<ExportEnvironmentResponse> export() {
    return client.call(
        EnvironmentsGrpcClient.Export,
        ExportEnvironmentRequest.newBuilder().setReference("base").build());
  }
}
