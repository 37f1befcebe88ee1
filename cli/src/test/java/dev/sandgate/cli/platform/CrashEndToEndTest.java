// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fifty commands that run while the gateway, or the node, is killed: each runs once, none loses a byte. */
@Tag("root")
final class CrashEndToEndTest {

  private static final int COMMANDS = 50;
  private static final int BOXES = 5;
  private static final int LINES = 80;
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String EXPECTED =
      IntStream.rangeClosed(1, LINES).mapToObj(i -> i + "\n").collect(Collectors.joining());

  private static Apart platform;
  private final List<SandboxHandle> boxes = new ArrayList<>();

  @BeforeAll
  static void open() throws IOException, InterruptedException {
    platform = new Apart();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  /** Kills something. */
  @FunctionalInterface
  private interface Blow {
    void strike() throws IOException, InterruptedException;
  }

  @Test
  void shouldLoseNoCommandAndNoByteWhenTheGatewayIsKilled()
      throws IOException, InterruptedException {
    survive(platform::killGateway);
  }

  @Test
  void shouldLoseNoCommandAndNoByteWhenTheNodeIsKilled() throws IOException, InterruptedException {
    survive(platform::killNode);
  }

  private void survive(Blow blow) throws IOException, InterruptedException {
    IntStream.range(0, BOXES).forEach(i -> boxes.add(platform.box()));
    CountDownLatch talking = new CountDownLatch(COMMANDS);
    List<CompletableFuture<String>> outputs =
        IntStream.range(0, COMMANDS).mapToObj(i -> output(i, talking)).toList();
    assertEquals(true, talking.await(LIMIT.toSeconds(), TimeUnit.SECONDS));

    blow.strike();

    assertEquals("next\n", boxes.getFirst().run("echo next").stdoutText());
    for (CompletableFuture<String> output : outputs) {
      assertEquals(EXPECTED + "exit 0", output.orTimeout(90, TimeUnit.SECONDS).join());
    }
    for (SandboxHandle box : boxes) {
      assertEquals("10\n", box.run("cat /tmp/ran | wc -l").stdoutText());
      box.close();
    }
  }

  /** What a command printed, and how it ended; it notes each time that it is run. */
  private CompletableFuture<String> output(int number, CountDownLatch talking) {
    String line =
        "echo >> /tmp/ran; i=0; while [ $i -lt "
            + LINES
            + " ]; do i=$((i+1)); echo $i; sleep 0.1; done";
    ExecHandle command =
        boxes.get(number % BOXES).execs().start(Execs.shell(line).build()).await().atMost(LIMIT);
    StringBuilder text = new StringBuilder();
    CompletableFuture<String> ended = new CompletableFuture<>();
    command
        .events()
        .subscribe()
        .with(
            event -> take(event, text, talking),
            ended::completeExceptionally,
            () -> ended.complete(text.toString()));
    return ended;
  }

  private static void take(ExecEvent event, StringBuilder text, CountDownLatch talking) {
    switch (event) {
      case ExecEvent.Started _ -> {}
      case ExecEvent.Output output -> {
        if (text.isEmpty()) {
          talking.countDown();
        }
        text.append(StandardCharsets.UTF_8.decode(output.data()));
      }
      case ExecEvent.Truncated gap -> text.append(gap);
      case ExecEvent.Exited exited -> text.append("exit ").append(exited.result().exitCode());
    }
  }
}
