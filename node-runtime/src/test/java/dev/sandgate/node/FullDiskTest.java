// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.RemoveFileRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.StatFileRequest;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.proto.v1.WriteFileResponse;
import dev.sandgate.spi.ErrorCode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What sandboxes write lies on a file system of 16 MB, whose blocks are used up. Needs root and a loop device. */
@Tag("root")
class FullDiskTest {

  private static final int MEBIBYTE = 1 << 20;
  private static final String UPPERS = "backends/container/uppers";

  @TempDir Path place;

  private final byte[] data = new byte[MEBIBYTE];
  private ContainerNode host;
  private String sandbox;

  @BeforeEach
  void begin() {
    new Random(3).nextBytes(data);
    host = new ContainerNode(this::mount);
    sandbox = host.create(SandboxSpec.newBuilder());
  }

  @AfterEach
  void end() throws Exception {
    try {
      delete();
      tool("umount", "-l", host.node().directory().resolve(UPPERS).toString());
      host.close();
    } finally {
      tool("umount", "-l", place.resolve("mounted").toString());
    }
  }

  private void delete() {
    DeleteSandboxRequest request = DeleteSandboxRequest.newBuilder().setSandboxId(sandbox).build();
    assertTrue(host.rpc().unary(SandboxesGrpcClient.Delete, request).getExisted());
  }

  private void mount(Path directory) {
    try {
      Path image = place.resolve("image");
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength(16L * MEBIBYTE);
      }
      tool("mkfs.ext4", "-q", "-F", image.toString());
      Path mounted = Files.createDirectories(place.resolve("mounted"));
      tool("mount", "-o", "loop", image.toString(), mounted.toString());
      Path uppers = Files.createDirectories(directory.resolve(UPPERS));
      Path inside = Files.createDirectories(mounted.resolve("inside"));
      tool("mount", "--bind", inside.toString(), uppers.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void tool(String... command) throws IOException {
    try {
      assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private long write(String path) {
    Answers<WriteFileRequest, WriteFileResponse> call = host.rpc().open(FilesGrpcClient.Write, 0);
    call.send(WriteFileRequest.newBuilder().setSandboxId(sandbox).setPath(path).build());
    for (int i = 0; i < data.length; i += 1 << 16) {
      ByteString part = ByteString.copyFrom(data, i, 1 << 16);
      call.send(WriteFileRequest.newBuilder().setData(part).build());
    }
    call.end();
    return call.only().getBytesWritten();
  }

  private String fill() {
    for (int i = 0; i < 20; i++) {
      String path = "/home/user/f" + i;
      try {
        assertEquals(MEBIBYTE, write(path));
      } catch (Failed full) {
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED.name(), full.detail().getCode());
        String message = String.valueOf(full.getMessage());
        assertTrue(message.contains(path) && message.contains("ENOSPC"), message);
        return path;
      }
    }
    throw new AssertionError("20 MiB fit into 16 MB");
  }

  private void remove(String path) {
    host.rpc()
        .unary(
            FilesGrpcClient.Remove,
            RemoveFileRequest.newBuilder().setSandboxId(sandbox).setPath(path).build());
  }

  @Test
  void shouldNameTheFileThatFindsNoRoomAndGoOnWhenThereIsSome() {
    String full = fill();
    assertThrows(Failed.class, () -> write("/home/user/another"));
    remove(full);
    remove("/home/user/f0");
    remove("/home/user/f1");
    assertEquals(MEBIBYTE, write("/home/user/again"));
    StatFileRequest stat =
        StatFileRequest.newBuilder().setSandboxId(sandbox).setPath("/home/user/again").build();
    assertEquals(MEBIBYTE, host.rpc().unary(FilesGrpcClient.Stat, stat).getSize());
  }

  @Test
  void shouldDeleteTheSandboxThatFilledTheDiskAndMakeTheNextOne() {
    fill();
    delete();
    dev.sandgate.tck.Eventually.holds("the reserve is free", this::creates);
    dev.sandgate.tck.Eventually.holds("its blocks are free", () -> fits("/home/user/next"));
  }

  private boolean creates() {
    try {
      sandbox = host.create(SandboxSpec.newBuilder());
      return true;
    } catch (Failed full) {
      assertEquals("node.disk-reserve-bytes", full.detail().getField());
      return false;
    }
  }

  private boolean fits(String path) {
    try {
      return write(path) == MEBIBYTE;
    } catch (Failed full) {
      assertEquals(ErrorCode.RESOURCE_EXHAUSTED.name(), full.detail().getCode());
      return false;
    }
  }
}
