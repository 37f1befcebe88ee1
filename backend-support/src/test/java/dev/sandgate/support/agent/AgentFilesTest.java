// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Connection;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Files.Attributes;
import dev.sandgate.spi.Files.Checksum;
import dev.sandgate.spi.Files.EventKind;
import dev.sandgate.spi.Files.ExtractTarget;
import dev.sandgate.spi.Files.Extracted;
import dev.sandgate.spi.Files.FileEvent;
import dev.sandgate.spi.Files.FileInfo;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Files and ports through a real agent. */
final class AgentFilesTest {

  private static PlainAgent agent;
  private static dev.sandgate.spi.Files files;

  @BeforeAll
  static void start() throws IOException {
    agent = new PlainAgent();
    files = agent.connection.files();
  }

  @AfterAll
  static void stop() throws IOException {
    agent.close();
  }

  @Test
  void shouldReadWhatItWroteInAnySize() throws IOException {
    byte[] data = new byte[3_000_001];
    new Random(1).nextBytes(data);
    String path = path("f1");
    assertEquals(data.length, write(path, WriteMode.TRUNCATE, 0, pieces(data)));
    assertArrayEquals(data, Files.readAllBytes(Path.of(path)));
    assertArrayEquals(data, bytes(files.read("", path, 0, -1)));
    byte[] middle = bytes(files.read("", path, 1_000_000, 10));
    assertArrayEquals(Arrays.copyOfRange(data, 1_000_000, 1_000_010), middle);
    AssertSubscriber<ByteBuffer> slow =
        files.read("", path, 0, -1).subscribe().withSubscriber(AssertSubscriber.create(1));
    slow.awaitItems(1, PlainAgent.PATIENCE);
    slow.cancel();
    Files.delete(Path.of(path));
  }

  @Test
  void shouldHonourEveryWriteMode() throws IOException {
    String path = path("d/e/f2");
    assertEquals(3, write(path, WriteMode.CREATE, 0, Multi.createFrom().item(text("abc"))));
    assertEquals(
        ErrorCode.ALREADY_EXISTS,
        refused(() -> write(path, WriteMode.CREATE, 0, Multi.createFrom().item(text("x")))));
    assertEquals(3, write(path, WriteMode.APPEND, 0, Multi.createFrom().item(text("def"))));
    assertEquals(2, write(path, WriteMode.RESUME, 4, Multi.createFrom().item(text("XY"))));
    assertEquals("abcdXY", Files.readString(Path.of(path)));
    assertEquals(0, write(path, WriteMode.TRUNCATE, 0, Multi.createFrom().empty()));
    assertEquals(0, Files.size(Path.of(path)));
    await(files.remove("", path("d"), true));
  }

  @Test
  void shouldPassOnTheFailureOfItsSource() {
    Multi<ByteBuffer> broken =
        Multi.createBy()
            .concatenating()
            .streams(
                Multi.createFrom().item(text("begin")),
                Multi.createFrom().failure(new IOException("source broke")));
    Throwable failure =
        assertThrows(
            RuntimeException.class, () -> write(path("f3"), WriteMode.TRUNCATE, 0, broken));
    assertEquals("source broke", failure.getCause().getMessage());
    await(files.remove("", path("f3"), false));
  }

  @Test
  void shouldDescribeMoveAndRemove() throws IOException {
    await(files.makeDirectory("", path("m/n"), 0750, true));
    write(path("m/file"), WriteMode.TRUNCATE, 0, Multi.createFrom().item(text("12345")));
    Files.createSymbolicLink(Path.of(path("m/link")), Path.of("file"));
    FileInfo file = await(files.stat("", path("m/file")));
    assertEquals(5, file.size());
    assertEquals(FileType.REGULAR, file.type());
    assertEquals(0640, file.mode());
    assertEquals("file", await(files.stat("", path("m/link"))).linkTarget());
    await(files.move("", path("m/file"), path("m/n/moved")));
    List<FileInfo> all =
        files.list("", path("m"), 2).collect().asList().await().atMost(PlainAgent.PATIENCE);
    Set<String> names = all.stream().map(FileInfo::path).collect(Collectors.toSet());
    assertEquals(Set.of(path("m/n"), path("m/n/moved"), path("m/link")), names);
    assertEquals(ErrorCode.FILE_FAILED, refused(() -> await(files.remove("", path("m"), false))));
    await(files.remove("", path("m"), true));
    assertEquals(ErrorCode.NOT_FOUND, refused(() -> await(files.stat("", path("m")))));
  }

  @Test
  void shouldListManyEntriesAsSlowlyAsAsked() throws IOException {
    Path directory = Files.createDirectory(Path.of(path("many")));
    for (int i = 0; i < 5_000; i++) {
      Files.createFile(directory.resolve("entry-with-a-rather-long-name-" + i));
    }
    AssertSubscriber<FileInfo> slow =
        files
            .list("", directory.toString(), 1)
            .subscribe()
            .withSubscriber(AssertSubscriber.create(1));
    slow.awaitItems(1, PlainAgent.PATIENCE);
    assertEquals(1, slow.getItems().size());
    slow.request(Long.MAX_VALUE).awaitCompletion(PlainAgent.PATIENCE);
    assertEquals(5_000, slow.getItems().stream().map(FileInfo::path).distinct().count());
    await(files.remove("", directory.toString(), true));
  }

  @Test
  void shouldArchiveAndExtractAsSlowlyAsAsked() throws IOException {
    Path from = Files.createDirectories(Path.of(path("from/a")));
    byte[] data = new byte[2_000_000];
    new Random(4).nextBytes(data);
    Files.write(from.resolve("f"), data);
    AssertSubscriber<ByteBuffer> slow =
        files.archive("", path("from")).subscribe().withSubscriber(AssertSubscriber.create(1));
    slow.awaitItems(1, PlainAgent.PATIENCE);
    assertEquals(1, slow.getItems().size());
    slow.cancel();
    ExtractTarget target = new ExtractTarget("", path("to/x"), true, Long.MAX_VALUE, 100);
    Extracted done = await(files.extract(target, files.archive("", path("from"))));
    assertEquals(new Extracted(data.length, 3), done);
    assertArrayEquals(data, Files.readAllBytes(Path.of(path("to/x/a/f"))));
    SandgateException bad =
        assertThrows(
            SandgateException.class,
            () -> await(files.extract(target, Multi.createFrom().item(text("no archive")))));
    assertEquals(ErrorCode.FILE_FAILED, bad.code());
    await(files.remove("", path("from"), true));
    await(files.remove("", path("to"), true));
  }

  @Test
  void shouldWatchHashAndChange() throws IOException {
    Path directory = Files.createDirectories(Path.of(path("watched")));
    AssertSubscriber<FileEvent> events =
        files
            .watch("", directory.toString(), true)
            .subscribe()
            .withSubscriber(AssertSubscriber.create(2));
    events.awaitItems(1, PlainAgent.PATIENCE);
    assertEquals(EventKind.STARTED, events.getItems().getFirst().kind());
    Files.writeString(directory.resolve("f"), "abc");
    events.awaitItems(2, PlainAgent.PATIENCE);
    assertEquals(
        new FileEvent(EventKind.CREATED, false, directory.resolve("f").toString(), ""),
        events.getItems().get(1));
    events.cancel();
    String f = directory.resolve("f").toString();
    assertEquals(
        new Checksum(3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        await(files.checksum("", f)));
    await(files.setAttributes("", f, new Attributes(0604, "12:34")));
    assertEquals(0604, await(files.stat("", f)).mode());
    assertEquals(12, await(files.stat("", f)).uid());
    assertEquals(34, await(files.stat("", f)).gid());
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        refused(() -> await(files.setAttributes("", f, new Attributes(010000, "")))));
    await(files.remove("", directory.toString(), true));
  }

  @Test
  void shouldNameThePathAndTheErrorOfAFailure() {
    SandgateException absent =
        assertThrows(SandgateException.class, () -> bytes(files.read("", path("none"), 0, -1)));
    assertEquals(ErrorCode.NOT_FOUND, absent.code());
    assertTrue(absent.getMessage().contains(path("none")), absent.getMessage());
    assertTrue(absent.getMessage().contains("ENOENT"), absent.getMessage());
    assertEquals(ErrorCode.FILE_FAILED, refused(() -> bytes(files.read("", "/tmp", 0, -1))));
    assertEquals(
        ErrorCode.INVALID_ARGUMENT, refused(() -> bytes(files.read("", "relative", 0, -1))));
    assertEquals(
        ErrorCode.PERMISSION_DENIED,
        refused(() -> await(files.makeDirectory("65534", "/root/x", 0700, false))));
  }

  @Test
  void shouldCarryAConnectionBothWays() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread echo = Thread.ofVirtual().start(() -> echo(server));
      Connection connection =
          agent.connection.connect(server.getLocalPort()).await().atMost(PlainAgent.PATIENCE);
      byte[] data = new byte[1_000_000];
      new Random(2).nextBytes(data);
      Uni<byte[]> back = collect(connection.input());
      var received = back.subscribeAsCompletionStage();
      for (int at = 0; at < data.length; at += 50_000) {
        await(connection.write(ByteBuffer.wrap(data, at, 50_000), at + 50_000 == data.length));
      }
      assertArrayEquals(data, received.get());
      connection.close();
      echo.join();
    }
  }

  @Test
  void shouldRefuseAPortWhereNobodyListens() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    SandgateException refused =
        assertThrows(
            SandgateException.class,
            () -> agent.connection.connect(port).await().atMost(PlainAgent.PATIENCE));
    assertEquals(ErrorCode.CONNECT_FAILED, refused.code());
    assertTrue(refused.getMessage().contains("ECONNREFUSED"), refused.getMessage());
  }

  private static void echo(ServerSocket server) {
    try (Socket socket = server.accept()) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String path(String name) {
    return agent.directory.resolve(name).toString();
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Multi<ByteBuffer> pieces(byte[] data) {
    List<ByteBuffer> pieces = new ArrayList<>();
    for (int at = 0; at < data.length; at += 65_536) {
      pieces.add(ByteBuffer.wrap(data, at, Math.min(65_536, data.length - at)));
    }
    return Multi.createFrom().iterable(pieces);
  }

  private static long write(String path, WriteMode mode, long offset, Multi<ByteBuffer> data) {
    return await(files.write(new WriteTarget("", path, 0640, mode, offset, true), data));
  }

  private static byte[] bytes(Multi<ByteBuffer> stream) {
    return await(collect(stream));
  }

  private static Uni<byte[]> collect(Multi<ByteBuffer> stream) {
    return stream
        .collect()
        .in(
            ByteArrayOutputStream::new,
            (all, piece) -> {
              byte[] copy = new byte[piece.remaining()];
              piece.get(copy);
              all.writeBytes(copy);
            })
        .map(ByteArrayOutputStream::toByteArray);
  }

  private static <T> T await(Uni<T> uni) {
    return uni.await().atMost(PlainAgent.PATIENCE);
  }

  private static ErrorCode refused(Runnable call) {
    return assertThrows(SandgateException.class, call::run).code();
  }
}
