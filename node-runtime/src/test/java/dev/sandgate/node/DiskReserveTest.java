// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What new sandboxes must leave of the disk. */
class DiskReserveTest {

  private static final String SETTING = "node.disk-reserve-bytes";

  private static TestNode node(long reserve) {
    return TestNode.start(config -> TestNode.with(config, SETTING, Long.toString(reserve)));
  }

  private static CreateSandboxRequest limited(long bytes) {
    return CreateSandboxRequest.newBuilder()
        .setSpec(TestNode.spec().setLimits(Limits.newBuilder().setDiskBytes(bytes)))
        .build();
  }

  private static void refused(TestNode node, CreateSandboxRequest request) {
    Failed failed =
        assertThrows(Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, request));
    assertEquals(GrpcStatus.RESOURCE_EXHAUSTED, failed.status(), failed.getMessage());
    assertEquals(SETTING, failed.detail().getField());
    assertTrue(String.valueOf(failed.getMessage()).contains(SETTING), failed.getMessage());
  }

  @Test
  void shouldRefuseCreatesWhenLessThanTheReserveIsFree() {
    try (TestNode node = node(1L << 55)) {
      refused(node, TestNode.request().build());
      var items =
          node.rpc().stream(
                  SandboxesGrpcClient.CreateBatch,
                  CreateSandboxBatchRequest.newBuilder()
                      .setSpec(TestNode.spec())
                      .setCount(3)
                      .build())
              .rest();
      assertEquals(3, items.stream().filter(i -> i.getError().getField().equals(SETTING)).count());
      assertEquals(0, node.host().sandboxIds().size());
    }
  }

  @Test
  void shouldRefuseALimitThatWouldReachIntoTheReserve() {
    try (TestNode node = node(1)) {
      for (int i = 0; i < 5; i++) {
        refused(node, limited(1L << 43));
      }
      node.create();
      assertEquals(1, living(node));
    }
  }

  private static int living(TestNode node) {
    return node.rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getSandboxes();
  }

  @Test
  void shouldCountWhatOthersAreAboutToTake() throws IOException {
    try (TestNode node = node(0)) {
      long most = Files.getFileStore(node.directory()).getUsableSpace() / 3 * 2;
      node.host().faults().hang(Point.CREATE);
      var first = node.rpc().stream(SandboxesGrpcClient.Create, limited(most));
      Eventually.holds("it is being made", () -> node.host().faults().passed(Point.CREATE) > 0);
      refused(node, limited(most));
      node.host().faults().clear();
      first.only();
      node.rpc().unary(SandboxesGrpcClient.Create, limited(most));
    }
  }

  @Test
  void shouldPromiseNobodyWhatAnotherWasPromised(@TempDir Path directory) throws IOException {
    DiskReserve.Room room = new DiskReserve(Map.of(SETTING, "0"), directory).room(directory);
    long left = Files.getFileStore(directory).getUsableSpace();
    long most = left / 100 * 90;
    try (DiskReserve.Share first = room.part(Long.MAX_VALUE);
        DiskReserve.Share second = room.part(Long.MAX_VALUE)) {
      assertTrue(first.bytes() > left / 3, () -> first + " of " + left);
      assertTrue(second.bytes() < left / 3, () -> second + " of " + left);
      assertThrows(SandgateException.class, () -> room.share(most));
      first.room().require(first.bytes());
      assertThrows(SandgateException.class, () -> second.room().require(first.bytes() + left / 20));
    }
    try (DiskReserve.Share all = room.share(most)) {
      assertThrows(SandgateException.class, () -> room.share(left - most + left / 20));
      all.room().require(most);
      assertEquals(10, room.part(10).bytes());
    }
  }

  @Test
  void shouldLeaveATwentiethByDefaultAndNothingWhenToldSo() {
    try (TestNode node = TestNode.start()) {
      node.create();
      refused(node, limited(1L << 43));
    }
    try (TestNode node = node(0)) {
      node.create();
    }
  }

  @Test
  void shouldNameTheSettingThatIsNoNumber() {
    SandgateException refused =
        assertThrows(
            SandgateException.class,
            () -> TestNode.start(config -> TestNode.with(config, SETTING, "1g")).close());
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    assertEquals(SETTING, refused.field());
  }
}
