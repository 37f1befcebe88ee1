// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Admission;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a node takes no further sandbox. */
class AdmissionTest {

  private static final long GIB = 1L << 30;

  private static TestNode node(String setting, String value) {
    return TestNode.start(config -> TestNode.with(config, setting, value));
  }

  private static CreateSandboxRequest asking(Limits.Builder limits) {
    return CreateSandboxRequest.newBuilder().setSpec(TestNode.spec().setLimits(limits)).build();
  }

  private static void refused(TestNode node, CreateSandboxRequest request, String setting) {
    Failed failed =
        assertThrows(Failed.class, () -> node.rpc().unary(SandboxesGrpcClient.Create, request));
    assertEquals(ErrorCode.RESOURCE_EXHAUSTED.name(), failed.detail().getCode());
    assertEquals(setting, failed.detail().getField());
    assertTrue(failed.detail().getRetryAfterMillis() > 0, failed::toString);
    assertTrue(
        String.valueOf(failed.getMessage()).contains(" " + setting + ": "), failed::toString);
  }

  private static Admission told(TestNode node) {
    return node.rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getAdmission();
  }

  private static void delete(TestNode node, Sandbox sandbox) {
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(sandbox.getSandboxId()).build());
  }

  @Test
  void shouldLetSandboxesAskForAsMuchCpuAsTheRatioAllows() {
    int half = Runtime.getRuntime().availableProcessors() * 1_000;
    CreateSandboxRequest request = asking(Limits.newBuilder().setCpuMillis(half));
    CreateSandboxRequest least = asking(Limits.newBuilder().setCpuMillis(10));
    try (TestNode node = node("node.cpu-overcommit", "2")) {
      Sandbox first = node.rpc().unary(SandboxesGrpcClient.Create, request);
      node.rpc().unary(SandboxesGrpcClient.Create, request);
      refused(node, least, "node.cpu-overcommit");
      node.restart();
      refused(node, least, "node.cpu-overcommit");
      assertEquals(2L * half, told(node).getAskedCpuMillis());
      delete(node, first);
      assertEquals(half, told(node).getAskedCpuMillis());
      node.rpc().unary(SandboxesGrpcClient.Create, request);
    }
  }

  @Test
  void shouldLetSandboxesAskForAsMuchMemoryAsTheRatioAllows() {
    CreateSandboxRequest request = asking(Limits.newBuilder().setMemoryBytes(1L << 49));
    try (TestNode node = node("node.memory-overcommit", "1.5")) {
      refused(node, request, "node.memory-overcommit");
      node.create();
      assertTrue(told(node).getAskedMemoryBytes() < GIB, "the refused one does not count");
    }
  }

  @Test
  void shouldTakeWhateverIsAskedForWithoutARatio() {
    try (TestNode node = TestNode.start()) {
      node.rpc()
          .unary(
              SandboxesGrpcClient.Create,
              asking(Limits.newBuilder().setMemoryBytes(1L << 49).setCpuMillis(1_000_000)));
    }
  }

  @Test
  void shouldMakeNoneWhileLittleMemoryIsAvailableAndLetTheOthersGoOn() {
    AtomicReference<String> reserve = new AtomicReference<>("0");
    try (TestNode node =
        TestNode.start(
            config -> TestNode.with(config, "node.memory-reserve-bytes", reserve.get()))) {
      Sandbox before = node.create();
      assertEquals("", told(node).getRefusing());
      reserve.set(Long.toString(1L << 50));
      node.restart();
      refused(node, TestNode.request().build(), "node.memory-reserve-bytes");
      assertEquals(1, told(node).getRefused());
      assertTrue(told(node).getRefusing().startsWith("node.memory-reserve-bytes: "));
      GetSandboxRequest get =
          GetSandboxRequest.newBuilder().setSandboxId(before.getSandboxId()).build();
      assertEquals(
          SandboxState.SANDBOX_STATE_RUNNING,
          node.rpc().unary(SandboxesGrpcClient.Get, get).getState());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "node.cpu-overcommit, 0", "node.cpu-overcommit, much", "node.memory-overcommit, -1",
    "node.memory-reserve-bytes, 1g", "node.max-cpu-pressure, 101", "node.max-memory-pressure, x",
    "node.max-io-pressure, -3"
  })
  void shouldNameTheSettingThatIsWrong(String setting, String value) {
    SandgateException refused =
        assertThrows(SandgateException.class, () -> node(setting, value).close());
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    assertEquals(setting, refused.field());
  }
}
