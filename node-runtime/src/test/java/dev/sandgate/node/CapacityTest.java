// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ListExecsRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches, limits of the node, and how long it remembers. */
class CapacityTest {

  private static List<CreateSandboxBatchItem> batch(TestNode node, int count) {
    return node.rpc().stream(
            SandboxesGrpcClient.CreateBatch,
            CreateSandboxBatchRequest.newBuilder().setSpec(TestNode.spec()).setCount(count).build())
        .rest();
  }

  private static TestNode node(Capacity capacity) {
    return TestNode.start(config -> TestNode.with(config, capacity));
  }

  @Test
  void shouldReportEachItemOfABatchByItself() {
    try (TestNode node = node(new Capacity(5, 10, 10, 1 << 20, Duration.ofMinutes(10)))) {
      List<CreateSandboxBatchItem> items = batch(node, 8);
      assertEquals(8, items.size());
      assertEquals(5, items.stream().filter(CreateSandboxBatchItem::hasSandbox).count());
      List<CreateSandboxBatchItem> failed =
          items.stream().filter(CreateSandboxBatchItem::hasError).toList();
      assertEquals(3, failed.size());
      assertTrue(
          failed.stream().allMatch(item -> item.getError().getCode().equals("RESOURCE_EXHAUSTED")));
      assertTrue(failed.stream().noneMatch(item -> item.getMessage().isEmpty()));
      assertEquals(5, node.host().sandboxIds().size());
      String one =
          items.stream()
              .filter(CreateSandboxBatchItem::hasSandbox)
              .findFirst()
              .orElseThrow()
              .getSandbox()
              .getSandboxId();
      node.rpc()
          .unary(
              SandboxesGrpcClient.Delete,
              DeleteSandboxRequest.newBuilder().setSandboxId(one).build());
      node.create();
    }
  }

  @Test
  void shouldStopABatchWhoseCallerLeaves() {
    try (TestNode node = TestNode.start()) {
      node.host().faults().delay(Point.CREATE, Duration.ofMillis(20));
      Answers<?, CreateSandboxBatchItem> call =
          node.rpc().stream(
              SandboxesGrpcClient.CreateBatch,
              CreateSandboxBatchRequest.newBuilder()
                  .setSpec(TestNode.spec())
                  .setCount(2_000)
                  .build());
      call.next();
      call.cancel();
      int made =
          Eventually.settles(
              "creations", Duration.ofMillis(300), () -> node.host().sandboxIds().size());
      assertTrue(made < 1_000, made + " were made");
    }
  }

  @Test
  void shouldRefuseMoreCommandsThanASandboxMayHave() {
    try (TestNode node = node(new Capacity(5, 2, 10, 1 << 20, Duration.ofMinutes(10)))) {
      String id = node.create().getSandboxId();
      for (int i = 0; i < 2; i++) {
        node.rpc().stream(ExecsGrpcClient.Start, start(id, "e" + i, "sleep", "30")).next();
      }
      Answers<StartExecRequest, ExecEvent> third =
          node.rpc().stream(ExecsGrpcClient.Start, start(id, "e2", "true"));
      assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, assertThrows(Failed.class, third::rest).status());
    }
  }

  @Test
  void shouldForgetWhatEndedLongAgo() {
    try (TestNode node = node(new Capacity(5, 10, 10, 1 << 20, Duration.ofMillis(1)))) {
      String kept = node.create().getSandboxId();
      String id = node.create().getSandboxId();
      node.rpc().stream(ExecsGrpcClient.Start, start(kept, "e", "true")).rest();
      node.rpc()
          .unary(
              SandboxesGrpcClient.Delete,
              DeleteSandboxRequest.newBuilder().setSandboxId(id).build());
      Eventually.holds(
          "the sandbox is forgotten",
          () ->
              GrpcStatus.NOT_FOUND
                  == statusOf(
                      () ->
                          node.rpc()
                              .unary(
                                  SandboxesGrpcClient.Get,
                                  GetSandboxRequest.newBuilder().setSandboxId(id).build())));
      Eventually.holds(
          "the command is listed no more",
          () ->
              node.rpc()
                      .unary(
                          ExecsGrpcClient.List,
                          ListExecsRequest.newBuilder().setSandboxId(kept).build())
                      .getExecsCount()
                  == 0);
      GetExecRequest get = GetExecRequest.newBuilder().setSandboxId(kept).setExecId("e").build();
      assertTrue(
          node.rpc().unary(ExecsGrpcClient.Get, get).hasResult(),
          "the journal knows it while its sandbox lives");
    }
  }

  private static GrpcStatus statusOf(Runnable call) {
    try {
      call.run();
      return GrpcStatus.OK;
    } catch (Failed failed) {
      return failed.status();
    }
  }

  @Test
  void shouldNameTheSettingThatIsWrong() {
    assertEquals("node.id", refused(() -> NodeConfig.of("Bad", Path.of("/tmp"), TestNode.TOKEN)));
    assertEquals("node.token", refused(() -> NodeConfig.of("n1", Path.of("/tmp"), "short")));
    assertEquals(
        "node.max-sandboxes", refused(() -> new Capacity(0, 1, 1, 1, Duration.ofMinutes(1))));
    assertEquals("node.retention", refused(() -> new Capacity(1, 1, 1, 1, Duration.ofMinutes(-1))));
  }

  private static String refused(Runnable make) {
    SandgateException refused = assertThrows(SandgateException.class, make::run);
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    return refused.field();
  }
}
