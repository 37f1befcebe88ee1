// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.OutputOffsets;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Much output, slow readers and much input. */
final class AgentStreamTest {

  private static final int MEGABYTES = 100;

  private static PlainAgent agent;

  @BeforeAll
  static void start() throws IOException {
    agent = new PlainAgent();
  }

  @AfterAll
  static void stop() throws IOException {
    agent.close();
  }

  /** Takes one item after the other and hashes what comes. */
  private static final class Hashing implements MultiSubscriber<ExecEvent> {
    private final MessageDigest digest;
    private final CompletableFuture<String> done = new CompletableFuture<>();
    private final AtomicLong bytes = new AtomicLong();
    private Flow.Subscription subscription;

    Hashing() throws Exception {
      digest = MessageDigest.getInstance("SHA-256");
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onItem(ExecEvent event) {
      if (event instanceof Output output) {
        assertEquals(bytes.get(), output.offset());
        assertTrue(output.data().isReadOnly() && output.data().remaining() <= 65_536);
        bytes.addAndGet(output.data().remaining());
        digest.update(output.data());
      }
      subscription.request(1);
    }

    @Override
    public void onFailure(Throwable failure) {
      done.completeExceptionally(failure);
    }

    @Override
    public void onCompletion() {
      done.complete(HexFormat.of().formatHex(digest.digest()));
    }
  }

  @Test
  void shouldDeliverAHundredMegabytesUnchanged() throws Exception {
    String file = agent.directory.resolve("big").toString();
    int made = agent.sh("head -c " + MEGABYTES + "M /dev/urandom > " + file).code();
    assertEquals(0, made);
    String expected = agent.run("sha256sum", file).out().substring(0, 64);
    Hashing hashing = new Hashing();
    long start = System.nanoTime();
    agent.start("cat", file).events().subscribe().withSubscriber(hashing);
    assertEquals(expected, hashing.done.get(100, TimeUnit.SECONDS));
    long millis = (System.nanoTime() - start) / 1_000_000;
    System.out.println(MEGABYTES + " MB of output one item at a time: " + millis + " ms");
    assertEquals(MEGABYTES * 1024L * 1024, hashing.bytes.get());
    Files.delete(agent.directory.resolve("big"));
  }

  @Test
  void shouldBlockTheCommandWhenNobodyTakesItsOutput() throws Exception {
    String progress = agent.directory.resolve("progress").toString();
    Exec exec =
        agent.start(
            "sh",
            "-c",
            "i=0; while [ $i -lt 60 ]; do head -c 65536 /dev/zero; i=$((i+1)); echo $i > "
                + progress
                + "; done");
    AssertSubscriber<ExecEvent> slow =
        exec.events().subscribe().withSubscriber(AssertSubscriber.create(1));
    slow.awaitItems(1, PlainAgent.PATIENCE);
    String before = settled(progress);
    assertTrue(Integer.parseInt(before) < 20, "wrote on to " + before);
    assertEquals(1, slow.getItems().size());
    slow.request(Long.MAX_VALUE);
    slow.awaitCompletion(PlainAgent.PATIENCE);
    long bytes =
        slow.getItems().stream()
            .mapToLong(event -> event instanceof Output output ? output.data().remaining() : 0)
            .sum();
    assertEquals(60L * 65_536, bytes);
    assertEquals(0, ((Exited) slow.getItems().getLast()).exitCode());
  }

  /** The number in a file once it has not changed for a while. */
  private static String settled(String file) {
    String[] last = {""};
    int[] same = {0};
    PlainAgent.eventually(
        "the command is blocked",
        () -> {
          String now = agent.run("cat", file).out().strip();
          same[0] = now.equals(last[0]) && !now.isEmpty() ? same[0] + 1 : 0;
          last[0] = now;
          return same[0] > 10;
        });
    return last[0];
  }

  @Test
  void shouldKeepSmallPiecesSmallInMemoryAndInOrder() {
    Exec exec = agent.start("sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done");
    AssertSubscriber<ExecEvent> late =
        exec.events().subscribe().withSubscriber(AssertSubscriber.create(1));
    late.awaitItems(1, PlainAgent.PATIENCE);
    late.request(Long.MAX_VALUE);
    late.awaitCompletion(PlainAgent.PATIENCE);
    StringBuilder text = new StringBuilder();
    late.getItems().stream()
        .filter(Output.class::isInstance)
        .map(Output.class::cast)
        .forEach(o -> text.append(StandardCharsets.UTF_8.decode(o.data())));
    String[] lines = text.toString().split("\n", -1);
    assertEquals(3001, lines.length);
    for (int i = 0; i < 3000; i++) {
      assertEquals(Integer.toString(i), lines[i]);
    }
  }

  @Test
  void shouldLeaveTheCommandRunningWhenItsReaderLeaves() {
    Exec exec = agent.start("sh", "-c", "echo begun; sleep 0.3; echo ended; exit 4");
    AssertSubscriber<ExecEvent> reader =
        exec.events().subscribe().withSubscriber(AssertSubscriber.create(1));
    reader.awaitItems(1, PlainAgent.PATIENCE).cancel();
    Exec again =
        agent.connection.attach(exec.id(), OutputOffsets.START).await().atMost(PlainAgent.PATIENCE);
    Result result = Result.of(again);
    assertEquals("begun\nended\n", result.out());
    assertEquals(4, result.code());
  }

  @Test
  void shouldHoldAWriterUntilTheCommandTakesItsInput() {
    String id = UUID.randomUUID().toString();
    Exec exec =
        agent.start(
            new ExecSpec(
                id,
                List.of("sh", "-c", "sleep 0.5; sha256sum"),
                Map.of(),
                "",
                "",
                true,
                Optional.empty(),
                0));
    byte[] chunk = new byte[65_536];
    long at = 0;
    for (int i = 0; i < 128; i++) {
      at = exec.write(at, ByteBuffer.wrap(chunk), i == 127).await().atMost(PlainAgent.PATIENCE);
    }
    assertEquals(128L * 65_536, at);
    String expected = agent.sh("head -c 8388608 /dev/zero | sha256sum").out();
    assertEquals(expected, Result.of(exec).out());
  }
}
