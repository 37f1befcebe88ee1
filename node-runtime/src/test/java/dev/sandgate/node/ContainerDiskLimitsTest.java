// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.SnapshotNode;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.RemoveSnapshotRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxUsage;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.proto.v1.WriteFileResponse;
import dev.sandgate.spi.ErrorCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sandboxes that may write so much and no more, as callers of a node see them. Needs root and loop devices. */
@Tag("root")
class ContainerDiskLimitsTest {

  private static final long MEBIBYTE = 1 << 20;
  private static final String FILL = "dd if=/dev/zero of=/home/big bs=1M count=100; sync";

  private static ContainerNode host;

  @BeforeAll
  static void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  static void end() {
    host.close();
  }

  private static Box box(String environment, long diskBytes) {
    return Box.of(
        host.rpc(),
        SandboxSpec.newBuilder()
            .setEnvironment(environment)
            .setUser("root")
            .setLimits(Limits.newBuilder().setDiskBytes(diskBytes))
            .build());
  }

  private static SandboxUsage usage(Box box) {
    GetSandboxRequest get = GetSandboxRequest.newBuilder().setSandboxId(box.id()).build();
    return host.rpc().unary(SandboxesGrpcClient.Get, get).getUsage();
  }

  private static void fill(Box box) {
    String said = box.run(FILL).getStderr().toStringUtf8();
    assertTrue(said.contains("No space left on device"), said);
  }

  @Test
  void shouldKeepAFullSandboxUsableAndItsNeighbourUnharmed() {
    try (Box full = box("busybox", 20 * MEBIBYTE);
        Box beside = box("busybox", 20 * MEBIBYTE);
        Box plain = Box.of(host.rpc(), "busybox")) {
      fill(full);
      assertTrue(usage(full).getDiskBytes() > 19 * MEBIBYTE);
      Failed failed = assertThrows(Failed.class, () -> write(full, "/home/file"));
      assertEquals(ErrorCode.RESOURCE_EXHAUSTED.name(), failed.detail().getCode());
      assertEquals("alive", full.says("echo alive"));
      assertEquals(usage(beside).getDiskBytes(), 0);
      assertFalse(usage(plain).hasDiskBytes());
      beside.says("head -c 15000000 /dev/zero > /home/mine; sync");
      plain.says("head -c 30000000 /dev/zero > /home/mine");
      full.says("rm /home/big");
      assertEquals(MEBIBYTE, write(full, "/home/file"));
    }
  }

  private static long write(Box box, String path) {
    Answers<WriteFileRequest, WriteFileResponse> call = host.rpc().open(FilesGrpcClient.Write, 0);
    call.send(WriteFileRequest.newBuilder().setSandboxId(box.id()).setPath(path).build());
    for (int i = 0; i < 16; i++) {
      call.send(
          WriteFileRequest.newBuilder().setData(ByteString.copyFrom(new byte[1 << 16])).build());
    }
    call.end();
    return call.only().getBytesWritten();
  }

  @Test
  void shouldKeepTheLimitOverARestartOfTheNode() {
    Box before = box("busybox", 20 * MEBIBYTE);
    before.says("echo kept > /home/file");
    host.node().restart();
    try (Box after = new Box(host.rpc(), before.id())) {
      fill(after);
      assertEquals("kept", after.says("cat /home/file"));
      assertTrue(usage(after).getDiskBytes() > 19 * MEBIBYTE);
      after.reset();
      assertEquals(0, usage(after).getDiskBytes());
      fill(after);
    }
  }

  @Test
  void shouldMakeLimitedSandboxesOfASnapshotOfOne() {
    String name = SnapshotNode.name();
    try (Box source = box("busybox", 20 * MEBIBYTE)) {
      source.says("head -c 5000000 /dev/urandom > /home/data; rm /etc/group");
      String view = source.says(Box.MANIFEST);
      source.seal(name);
      source.says("echo on > /home/later");
      try (Box branch = box(name, 8 * MEBIBYTE)) {
        assertEquals(view, branch.says(Box.MANIFEST));
        assertEquals(0, usage(branch).getDiskBytes());
        branch.says("echo copied up >> /home/data");
        assertTrue(usage(branch).getDiskBytes() >= 5_000_000);
        fill(branch);
      }
    }
    host.rpc()
        .unary(
            SnapshotsGrpcClient.Remove,
            RemoveSnapshotRequest.newBuilder().setReference(name).build());
  }
}
