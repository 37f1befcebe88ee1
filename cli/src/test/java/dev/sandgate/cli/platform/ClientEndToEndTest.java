// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.PortConnection;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.SandboxSpec;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client against the real platform: gateway, node, guest agent, command. */
@Tag("root")
final class ClientEndToEndTest {

  private static final int MEBIBYTE = 1 << 20;

  private static Platform platform;
  private static SandboxHandle box;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
    box = platform.box();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private static Multi<ExecEvent> stream(Command.Builder command) {
    return box.execs().stream(command.setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK).build());
  }

  /** The digests of both outputs and the exit code. */
  private static final class Received {

    final MessageDigest stdout = Cli.sha256();
    final MessageDigest stderr = Cli.sha256();
    int exitCode = -1;

    static Received of(Multi<ExecEvent> events) {
      return events.collect().in(Received::new, Received::add).await().atMost(Platform.LIMIT);
    }

    void add(ExecEvent event) {
      if (event instanceof ExecEvent.Output output) {
        (output.stderr() ? stderr : stdout).update(output.data());
      } else if (event instanceof ExecEvent.Exited exited) {
        exitCode = exited.result().exitCode();
      }
    }
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  private static String hash(byte[] bytes) {
    return HexFormat.of().formatHex(Cli.sha256().digest(bytes));
  }

  @Test
  void shouldRunACommand() {
    ExecResult result = box.run("echo hello world; echo oops >&2; exit 7");

    assertEquals("hello world\n", result.stdoutText());
    assertEquals("oops\n", result.stderrText());
    assertEquals(7, result.exitCode());
  }

  @Test
  void shouldKeepFilesBetweenCommands() {
    box.run("echo kept > /tmp/kept");

    assertEquals("kept\n", box.run("cat /tmp/kept").stdoutText());
  }

  @Test
  void shouldStreamEveryLineOfALongOutput() {
    StringBuilder expected = new StringBuilder(40_000_000);
    for (int i = 1; i <= 5_000_000; i++) {
      expected.append(i).append('\n');
    }

    Received received = Received.of(stream(Execs.program("seq", "1", "5000000")));

    assertEquals(
        hash(expected.toString().getBytes(StandardCharsets.US_ASCII)), hex(received.stdout));
    assertEquals(0, received.exitCode);
  }

  @Test
  void shouldCarryAHundredMegabytesOfRandomBytesBothWays() {
    byte[] random = new byte[1_000_000];
    new Random(5).nextBytes(random);
    MessageDigest digest = Cli.sha256();
    for (int i = 0; i < 100; i++) {
      digest.update(random);
    }
    Multi<ByteBuffer> content = Multi.createFrom().range(0, 100).map(i -> ByteBuffer.wrap(random));

    long written =
        box.files()
            .write("/tmp/random", content, dev.sandgate.client.FileWrite.REPLACE)
            .await()
            .atMost(Platform.LIMIT);
    Received received = Received.of(stream(Execs.program("cat", "/tmp/random")));

    assertEquals(100_000_000, written);
    assertEquals(hex(digest), hex(received.stdout));
    box.run("rm /tmp/random");
  }

  @Test
  void shouldCarryAllByteValuesOnBothStreamsAtOnce() {
    byte[] all = new byte[256 * 16];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    box.writeFile("/tmp/all", all);

    ExecResult result = box.run("cat /tmp/all >&2 & cat /tmp/all; wait");

    assertArrayEquals(all, result.stdout());
    assertArrayEquals(all, result.stderr());
  }

  @Test
  void shouldCarryALineOfAMebibyte() {
    byte[] line = new byte[MEBIBYTE];
    Arrays.fill(line, (byte) 'x');
    box.writeFile("/tmp/line", line);

    assertArrayEquals(line, box.run("cat /tmp/line").stdout());
  }

  @Test
  void shouldEndCatWithoutStdinAtOnce() {
    ExecResult result = box.run("cat");

    assertEquals(0, result.exitCode());
    assertTrue(
        result.wallTime().compareTo(Duration.ofSeconds(5)) < 0, result.wallTime().toString());
  }

  @Test
  void shouldFeedStdin() {
    byte[] bytes = new byte[8 * MEBIBYTE];
    new Random(9).nextBytes(bytes);
    ExecHandle exec =
        box.execs()
            .start(Execs.program("sha256sum").setStdin(true).build())
            .await()
            .atMost(Platform.LIMIT);
    StringBuilder answer = new StringBuilder();
    var ended =
        exec.events()
            .onItem()
            .invoke(event -> append(answer, event))
            .collect()
            .last()
            .subscribeAsCompletionStage();

    exec.write(ByteBuffer.wrap(bytes)).chain(exec::closeStdin).await().atMost(Platform.LIMIT);
    ended.orTimeout(100, TimeUnit.SECONDS).join();

    assertEquals(hash(bytes) + "  -\n", answer.toString());
  }

  private static void append(StringBuilder text, ExecEvent event) {
    if (event instanceof ExecEvent.Output output) {
      text.append(StandardCharsets.UTF_8.decode(output.data()));
    }
  }

  @Test
  void shouldAttachAfterTheEndFromAnOffset() {
    ExecHandle exec =
        box.execs().start(Execs.shell("printf abcdef").build()).await().atMost(Platform.LIMIT);
    exec.result().await().atMost(Platform.LIMIT);
    StringBuilder rest = new StringBuilder();

    ExecHandle again = box.execs().attach(exec.id(), 4, 0).await().atMost(Platform.LIMIT);
    again
        .events()
        .onItem()
        .invoke(event -> append(rest, event))
        .collect()
        .last()
        .await()
        .atMost(Platform.LIMIT);

    assertEquals("ef", rest.toString());
  }

  @Test
  void shouldReachAPortInside() {
    box.execs()
        .start(Execs.shell("echo pong | nc -l -p 8080").build())
        .await()
        .atMost(Platform.LIMIT);
    box.run("until netstat -ltn | grep -q :8080; do sleep 0.1; done");
    StringBuilder answer = new StringBuilder();

    try (PortConnection connection = box.ports().connect(8080).await().atMost(Platform.LIMIT)) {
      connection
          .data()
          .onItem()
          .invoke(part -> answer.append(StandardCharsets.UTF_8.decode(part)))
          .select()
          .first()
          .collect()
          .last()
          .await()
          .atMost(Platform.LIMIT);
    }

    assertEquals("pong\n", answer.toString());
  }

  @Test
  void shouldNameTheFieldOfABadRequestAndMakeNothing() {
    int before = platform.sandboxes().size();

    assertEquals(
        "limits.memory_bytes", refused(spec -> spec.getLimitsBuilder().setMemoryBytes(1)).field());
    assertEquals("NOT_FOUND", refused(spec -> spec.setEnvironment("nosuch")).code());
    assertTrue(refused(spec -> spec.setBackend("nosuch")).number() > 0);
    assertTrue(refused(spec -> spec.setHostname("x".repeat(300))).field().contains("hostname"));

    assertEquals(before, platform.sandboxes().size());
  }

  private interface Change {
    void to(SandboxSpec.Builder spec);
  }

  private static SandgateClientException refused(Change change) {
    SandboxSpec.Builder spec = SandboxSpec.newBuilder().setEnvironment("busybox");
    change.to(spec);
    return assertThrows(
        SandgateClientException.class,
        () -> platform.sandgate().sandboxes().create(spec.build()).await().atMost(Platform.LIMIT));
  }

  @Test
  void shouldRefuseBadCommandsByName() {
    assertEquals("INVALID_ARGUMENT", failed(Execs.program("a\0b")).code());
    assertEquals("EXEC_FAILED", failed(Execs.program("nosuch")).code());
    assertTrue(failed(Command.newBuilder()).field().contains("argv"));
    SandgateClientException path =
        assertThrows(
            SandgateClientException.class,
            () -> box.files().stat("relative").await().atMost(Platform.LIMIT));
    assertEquals("path", path.field());
  }

  private static SandgateClientException failed(Command.Builder command) {
    return assertThrows(
        SandgateClientException.class,
        () -> box.execs().run(command.build()).await().atMost(Platform.LIMIT));
  }

  @Test
  @Tag("slow")
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void shouldLoseNoOutputOfManyCommandsAtOnce() {
    int commands = 20_000;
    AtomicInteger right = new AtomicInteger();

    Multi.createFrom()
        .range(0, commands)
        .onItem()
        .transformToUni(
            i ->
                box.execs()
                    .run(Execs.program("echo", "x" + i).build())
                    .invoke(result -> count(i, result, right)))
        .merge(64)
        .collect()
        .last()
        .await()
        .atMost(Duration.ofMinutes(14));

    assertEquals(commands, right.get());
  }

  private static void count(int number, ExecResult result, AtomicInteger right) {
    if (result.stdoutText().equals("x" + number + "\n")) {
      right.incrementAndGet();
    }
  }
}
