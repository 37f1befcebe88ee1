// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.ChecksumFileRequest;
import dev.sandgate.proto.v1.ChecksumFileResponse;
import dev.sandgate.proto.v1.DownloadArchiveRequest;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FileType;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.ListChangesRequest;
import dev.sandgate.proto.v1.ListFilesRequest;
import dev.sandgate.proto.v1.MakeDirectoryRequest;
import dev.sandgate.proto.v1.MoveFileRequest;
import dev.sandgate.proto.v1.PortData;
import dev.sandgate.proto.v1.PortsGrpcClient;
import dev.sandgate.proto.v1.ReadFileRequest;
import dev.sandgate.proto.v1.ReadFileResponse;
import dev.sandgate.proto.v1.RemoveFileRequest;
import dev.sandgate.proto.v1.SetFileAttributesRequest;
import dev.sandgate.proto.v1.StatFileRequest;
import dev.sandgate.proto.v1.UploadArchiveRequest;
import dev.sandgate.proto.v1.WatchFilesRequest;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.proto.v1.WriteFileResponse;
import io.vertx.grpc.common.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Files and ports of a sandbox. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FilesTest {

  private static final int ECHO_PORT = 7;

  private TestNode node;
  private String sandbox;

  @BeforeAll
  void begin() {
    node = TestNode.start();
    sandbox = node.create().getSandboxId();
  }

  @AfterAll
  void end() {
    node.close();
  }

  private long write(String path, byte[] data) {
    Answers<WriteFileRequest, WriteFileResponse> call = node.rpc().open(FilesGrpcClient.Write, 0);
    call.send(
        WriteFileRequest.newBuilder().setSandboxId(sandbox).setPath(path).setParents(true).build());
    for (int i = 0; i < data.length; i += 50_000) {
      ByteString part = ByteString.copyFrom(data, i, Math.min(50_000, data.length - i));
      call.send(WriteFileRequest.newBuilder().setData(part).build());
    }
    call.end();
    return call.only().getBytesWritten();
  }

  private byte[] read(String path, long offset, long length) {
    Answers<ReadFileRequest, ReadFileResponse> call =
        node.rpc().stream(
            FilesGrpcClient.Read,
            ReadFileRequest.newBuilder()
                .setSandboxId(sandbox)
                .setPath(path)
                .setOffset(offset)
                .setLength(length)
                .build());
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Optional<ReadFileResponse> next = call.next(); next.isPresent(); next = call.next()) {
      all.writeBytes(next.get().getData().toByteArray());
    }
    return all.toByteArray();
  }

  private FileInfo stat(String path) {
    return node.rpc()
        .unary(
            FilesGrpcClient.Stat,
            StatFileRequest.newBuilder().setSandboxId(sandbox).setPath(path).build());
  }

  @Test
  void shouldGiveBackWhatWasWritten() {
    byte[] data = new byte[3_000_001];
    new Random(7).nextBytes(data);
    assertEquals(data.length, write("/tmp/deep/data", data));
    assertArrayEquals(data, read("/tmp/deep/data", 0, 0));
    byte[] part = read("/tmp/deep/data", 1_000_000, 10);
    assertArrayEquals(java.util.Arrays.copyOfRange(data, 1_000_000, 1_000_010), part);
    assertEquals(FileType.FILE_TYPE_REGULAR, stat("/tmp/deep/data").getType());
    assertEquals(data.length, stat("/tmp/deep/data").getSize());
    assertEquals(0, write("/tmp/empty", new byte[0]));
    assertEquals(0, stat("/tmp/empty").getSize());
  }

  @Test
  void shouldMakeListMoveAndRemove() {
    node.rpc()
        .unary(
            FilesGrpcClient.MakeDirectory,
            MakeDirectoryRequest.newBuilder()
                .setSandboxId(sandbox)
                .setPath("/tmp/dir/sub")
                .setParents(true)
                .build());
    for (int i = 0; i < 250; i++) {
      write("/tmp/dir/f" + i, new byte[1]);
    }
    node.rpc()
        .unary(
            FilesGrpcClient.Move,
            MoveFileRequest.newBuilder()
                .setSandboxId(sandbox)
                .setFrom("/tmp/dir/f0")
                .setTo("/tmp/dir/g")
                .build());
    List<FileInfo> entries =
        node.rpc().stream(
                FilesGrpcClient.List,
                ListFilesRequest.newBuilder().setSandboxId(sandbox).setPath("/tmp/dir").build())
            .rest()
            .stream()
            .flatMap(response -> response.getEntriesList().stream())
            .toList();
    assertEquals(251, entries.size());
    assertTrue(entries.stream().anyMatch(entry -> entry.getPath().equals("/tmp/dir/g")));
    node.rpc()
        .unary(
            FilesGrpcClient.Remove,
            RemoveFileRequest.newBuilder()
                .setSandboxId(sandbox)
                .setPath("/tmp/dir")
                .setRecursive(true)
                .build());
    Failed gone = assertThrows(Failed.class, () -> stat("/tmp/dir"));
    assertEquals(GrpcStatus.NOT_FOUND, gone.status());
  }

  @Test
  void shouldHashAndChangeAFile() {
    byte[] data = "hello".getBytes(StandardCharsets.UTF_8);
    write("/tmp/h", data);
    ChecksumFileResponse sum =
        node.rpc()
            .unary(
                FilesGrpcClient.Checksum,
                ChecksumFileRequest.newBuilder().setSandboxId(sandbox).setPath("/tmp/h").build());
    assertEquals(
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", sum.getSha256());
    assertEquals(5, sum.getSize());
    set(attributes().setMode(0));
    assertEquals(0, stat("/tmp/h").getMode());
    set(attributes().setOwner("7:8"));
    assertEquals(0, stat("/tmp/h").getMode());
    assertEquals(7, stat("/tmp/h").getUid());
    assertEquals(8, stat("/tmp/h").getGid());
    Failed bad = assertThrows(Failed.class, () -> set(attributes().setMode(010000)));
    assertEquals("mode", bad.detail().getField());
  }

  private SetFileAttributesRequest.Builder attributes() {
    return SetFileAttributesRequest.newBuilder().setSandboxId(sandbox).setPath("/tmp/h");
  }

  private void set(SetFileAttributesRequest.Builder request) {
    node.rpc().unary(FilesGrpcClient.SetAttributes, request.build());
  }

  @Test
  void shouldRefuseTreesThatTheBackendDoesNotHave() {
    List<Answers<?, ?>> calls =
        List.of(
            node.rpc().stream(
                FilesGrpcClient.DownloadArchive,
                DownloadArchiveRequest.newBuilder().setSandboxId(sandbox).setPath("/").build()),
            node.rpc().stream(
                FilesGrpcClient.UploadArchive,
                UploadArchiveRequest.newBuilder().setSandboxId(sandbox).setPath("/").build()),
            node.rpc().stream(
                FilesGrpcClient.Watch,
                WatchFilesRequest.newBuilder().setSandboxId(sandbox).setPath("/").build()),
            node.rpc().stream(
                FilesGrpcClient.Changes,
                ListChangesRequest.newBuilder().setSandboxId(sandbox).build()));
    for (Answers<?, ?> call : calls) {
      Failed failed = assertThrows(Failed.class, call::next);
      assertEquals("UNSUPPORTED", failed.detail().getCode());
    }
  }

  @Test
  void shouldFailAReadOfWhatIsNotThere() {
    Failed missing = assertThrows(Failed.class, () -> read("/none", 0, 0));
    assertEquals(GrpcStatus.NOT_FOUND, missing.status());
    assertTrue(String.valueOf(missing.getMessage()).contains("/none"), missing.getMessage());
  }

  @Test
  void shouldRefuseAWriteThatSendsTooMuchAtOnce() {
    Answers<WriteFileRequest, WriteFileResponse> call = node.rpc().open(FilesGrpcClient.Write, 0);
    call.send(WriteFileRequest.newBuilder().setSandboxId(sandbox).setPath("/tmp/x").build());
    call.end(WriteFileRequest.newBuilder().setData(ByteString.copyFrom(new byte[70_000])).build());
    Failed failed = assertThrows(Failed.class, call::only);
    assertEquals("data", failed.detail().getField());
  }

  @Test
  void shouldCarryAConnectionBothWays() {
    Answers<PortData, PortData> call = node.rpc().open(PortsGrpcClient.Connect, 0);
    call.send(PortData.newBuilder().setSandboxId(sandbox).setPort(ECHO_PORT).build());
    assertTrue(call.next().orElseThrow().getData().isEmpty(), "the first answer says it is open");
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    for (int i = 0; i < 20; i++) {
      byte[] data = new byte[40_000];
      new Random(i).nextBytes(data);
      sent.writeBytes(data);
    }
    byte[] all = sent.toByteArray();
    Thread.ofVirtual()
        .start(
            () -> {
              for (int i = 0; i < all.length; i += 40_000) {
                call.send(
                    PortData.newBuilder().setData(ByteString.copyFrom(all, i, 40_000)).build());
              }
              call.end(PortData.newBuilder().setEnd(true).build());
            });
    ByteArrayOutputStream echoed = new ByteArrayOutputStream();
    for (PortData answer : call.rest()) {
      echoed.writeBytes(answer.getData().toByteArray());
    }
    assertArrayEquals(all, echoed.toByteArray());
  }

  @Test
  void shouldSayThatNobodyListens() {
    Answers<PortData, PortData> call = node.rpc().open(PortsGrpcClient.Connect, 0);
    call.send(PortData.newBuilder().setSandboxId(sandbox).setPort(81).build());
    Failed failed = assertThrows(Failed.class, call::next);
    assertEquals("CONNECT_FAILED", failed.detail().getCode());
  }
}
