// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.DownloadArchiveResponse;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FileEventKind;
import dev.sandgate.proto.v1.FilesGrpcService;
import dev.sandgate.proto.v1.ListChangesResponse;
import dev.sandgate.proto.v1.PortData;
import dev.sandgate.proto.v1.PortsGrpcService;
import dev.sandgate.proto.v1.ReadFileResponse;
import dev.sandgate.proto.v1.UploadArchiveResponse;
import dev.sandgate.proto.v1.WatchFilesResponse;
import dev.sandgate.proto.v1.WriteFileResponse;
import io.smallrye.mutiny.Multi;
import io.vertx.grpc.common.GrpcStatus;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Files and port connections carry bytes both ways. */
final class FilesTest extends GatewayTest {

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(7).nextBytes(bytes);
    return bytes;
  }

  @Test
  void shouldSendAFileInPartsAndReadItBack() {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    gateway.on(
        FilesGrpcService.Write,
        request -> {
          request.handler(message -> stored.writeBytes(message.getData().toByteArray()));
          request.endHandler(
              end ->
                  request
                      .response()
                      .end(WriteFileResponse.newBuilder().setBytesWritten(stored.size()).build()));
        });
    gateway.on(
        FilesGrpcService.Read,
        request ->
            request.handler(
                message -> {
                  ByteString all = ByteString.copyFrom(stored.toByteArray());
                  for (int at = 0; at < all.size(); at += 65_536) {
                    ByteString part = all.substring(at, Math.min(all.size(), at + 65_536));
                    request.response().write(ReadFileResponse.newBuilder().setData(part).build());
                  }
                  request.response().end();
                }));
    byte[] bytes = random(5_000_000);

    box().writeFile("/a", bytes);

    assertArrayEquals(bytes, box().readFile("/a"));
    assertEquals(
        "RESOURCE_EXHAUSTED",
        assertThrows(
                SandgateClientException.class,
                () -> box().files().readAll("/a", 1_000_000).await().atMost(LIMIT))
            .code());
  }

  @Test
  void shouldFailWithTheFailureOfWhatTheCallerSends() {
    gateway.on(FilesGrpcService.Write, request -> request.handler(message -> {}));
    IllegalStateException own = new IllegalStateException("the disk is broken");
    Multi<ByteBuffer> content =
        Multi.createBy()
            .concatenating()
            .streams(
                Multi.createFrom().item(ByteBuffer.wrap(random(10))),
                Multi.createFrom().failure(own));

    assertSame(
        own,
        assertThrows(
            IllegalStateException.class,
            () -> box().files().write("/a", content, FileWrite.REPLACE).await().atMost(LIMIT)));
  }

  @Test
  void shouldSendAnArchiveInPartsAndReceiveOne() {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    gateway.on(
        FilesGrpcService.UploadArchive,
        request -> {
          request.handler(message -> stored.writeBytes(message.getData().toByteArray()));
          request.endHandler(
              end ->
                  request.response().end(UploadArchiveResponse.newBuilder().setEntries(3).build()));
        });
    gateway.on(
        FilesGrpcService.DownloadArchive,
        request ->
            request.handler(
                message -> {
                  ByteString all = ByteString.copyFrom(stored.toByteArray());
                  request.response().end(DownloadArchiveResponse.newBuilder().setData(all).build());
                }));
    byte[] bytes = random(200_000);

    Trees trees = box().files().trees();
    Multi<ByteBuffer> tar = Multi.createFrom().item(ByteBuffer.wrap(bytes));
    assertEquals(3, trees.upload("/a", tar).await().atMost(LIMIT).getEntries());

    ByteBuffer back = trees.download("/a").collect().first().await().atMost(LIMIT);
    assertEquals(ByteBuffer.wrap(bytes), back);
  }

  @Test
  void shouldGiveEventsAndChangesOneByOne() {
    gateway.on(
        FilesGrpcService.Watch,
        request ->
            request.handler(
                message -> {
                  request.response().write(event(FileEventKind.FILE_EVENT_KIND_STARTED));
                  request.response().end(event(FileEventKind.FILE_EVENT_KIND_LOST));
                }));
    gateway.on(
        FilesGrpcService.Changes,
        request ->
            request.handler(
                message ->
                    request
                        .response()
                        .end(
                            ListChangesResponse.newBuilder()
                                .addChanges(FileChange.newBuilder().setPath("/a"))
                                .addChanges(FileChange.newBuilder().setPath("/b"))
                                .build())));
    Trees trees = box().files().trees();
    assertEquals(
        List.of(FileEventKind.FILE_EVENT_KIND_STARTED, FileEventKind.FILE_EVENT_KIND_LOST),
        trees
            .watch("/", true)
            .map(WatchFilesResponse::getKind)
            .collect()
            .asList()
            .await()
            .atMost(LIMIT));
    assertEquals(
        List.of("/a", "/b"),
        trees.changes().map(FileChange::getPath).collect().asList().await().atMost(LIMIT));
  }

  private static WatchFilesResponse event(FileEventKind kind) {
    return WatchFilesResponse.newBuilder().setKind(kind).build();
  }

  @Test
  void shouldFailTypedWhenTheSandboxRefusesAWriteHalfWay() {
    AtomicLong made = new AtomicLong();
    gateway.on(
        FilesGrpcService.Write,
        request -> {
          request.handler(
              message -> {
                request.handler(more -> {});
                FakeGateway.fail(
                    request.response(),
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "/a: disk full",
                    ErrorDetail.newBuilder()
                        .setNumber(201)
                        .setCode("RESOURCE_EXHAUSTED")
                        .setField("path")
                        .build());
              });
          request.errorHandler(error -> {});
        });
    Multi<ByteBuffer> endless =
        Multi.createBy()
            .repeating()
            .supplier(
                () -> {
                  made.incrementAndGet();
                  return ByteBuffer.allocate(65_536);
                })
            .atMost(20_000);

    SandgateClientException failure =
        assertThrows(
            SandgateClientException.class,
            () -> box().files().write("/a", endless, FileWrite.REPLACE).await().atMost(LIMIT));

    assertEquals("RESOURCE_EXHAUSTED", failure.code());
    assertEquals("path", failure.field());
  }

  @Test
  void shouldCarryAPortBothWays() {
    gateway.on(
        PortsGrpcService.Connect,
        request -> {
          request.handler(
              message -> {
                assertEquals("Connect", request.methodName());
                request
                    .response()
                    .write(
                        PortData.newBuilder()
                            .setData(message.getData())
                            .setEnd(message.getEnd())
                            .build());
              });
          request.endHandler(end -> request.response().end());
        });

    PortConnection connection = box().ports().connect(80).await().atMost(LIMIT);
    connection
        .write(ByteBuffer.wrap("ping".getBytes(StandardCharsets.UTF_8)))
        .await()
        .atMost(LIMIT);
    connection.end().await().atMost(LIMIT);

    StringBuilder answer = new StringBuilder();
    connection
        .data()
        .onItem()
        .invoke(part -> answer.append(StandardCharsets.UTF_8.decode(part)))
        .collect()
        .last()
        .await()
        .atMost(LIMIT);
    assertEquals("ping", answer.toString());
  }

  @Test
  void shouldFailTypedWhenThePortIsClosed() {
    gateway.on(
        PortsGrpcService.Connect,
        request ->
            request.handler(
                message ->
                    FakeGateway.fail(
                        request.response(),
                        GrpcStatus.UNAVAILABLE,
                        "port 81: connection refused",
                        ErrorDetail.newBuilder()
                            .setNumber(303)
                            .setCode("CONNECT_FAILED")
                            .build())));

    SandgateClientException failure =
        assertThrows(
            SandgateClientException.class, () -> box().ports().connect(81).await().atMost(LIMIT));

    assertEquals("CONNECT_FAILED", failure.code());
    assertEquals(303, failure.number());
  }
}
