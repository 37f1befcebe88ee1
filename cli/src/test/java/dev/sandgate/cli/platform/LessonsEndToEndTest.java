// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.OutputPolicy;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What went wrong in other systems, tried against the whole platform; {@code -Dsandgate.lessons=full} takes the numbers and
 * times of the reports.
 */
@Tag("root")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class LessonsEndToEndTest {

  private static final boolean FULL = "full".equals(System.getProperty("sandgate.lessons"));
  private static final int CANCELS = FULL ? 10_000 : 500;
  private static final int POLLS = FULL ? 5_000 : 100;
  private static final int SILENCE_SECONDS = FULL ? 900 : 22;
  private static final int AT_ONCE = 50;
  private static final long FOUR_MEBIBYTES = 4L << 20;
  private static final Duration LONG = Duration.ofMinutes(20);

  private static Platform platform;

  @BeforeAll
  static void open() throws IOException {
    platform = new Platform();
  }

  @AfterAll
  static void close() throws IOException {
    platform.close();
  }

  private static List<Exec> execs(SandboxHandle box) {
    return box.execs().list().collect().asList().await().atMost(Platform.LIMIT);
  }

  private static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Platform.LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, what);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  @Test
  void shouldLeaveNoCommandStuckWhoseStartIsCancelled() {
    SandboxHandle box = platform.box();
    ConcurrentLinkedQueue<ExecHandle> late = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < CANCELS; i++) {
      Cancellable start =
          box.execs()
              .start("cancelled-" + i, Execs.program("true").build())
              .subscribe()
              .with(late::add, _ -> {});
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(5_000_000));
      start.cancel();
      if (i % AT_ONCE == AT_ONCE - 1) {
        until("a command is stuck", () -> execs(box).stream().allMatch(Exec::hasResult));
      }
    }
    late.forEach(ExecHandle::detach);

    List<Exec> begun = execs(box);
    assertFalse(begun.isEmpty(), "every start was cancelled before it began");
    assertTrue(
        begun.stream().allMatch(exec -> exec.getResult().getExitCode() == 0),
        "a start that was cancelled made a wrong end");
    String alive = box.run("ls -d /proc/[0-9]* | wc -l").stdoutText().strip();
    assertTrue(Integer.parseInt(alive) <= 5, alive + " processes are left");
    box.delete().await().atMost(Platform.LIMIT);
  }

  @Test
  void shouldHaveAllOutputAsSoonAsTheExitIsSeen() {
    SandboxHandle box = platform.box();
    for (int i = 0; i < POLLS; i++) {
      String id = "polled-" + i;
      Command command = Execs.shell("seq 1 200; echo $$; (echo late) 2>&1").build();
      box.execs().start(id, command).await().atMost(Platform.LIMIT).detach();
      Exec seen = box.execs().get(id).await().atMost(Platform.LIMIT);
      while (!seen.hasResult()) {
        seen = box.execs().get(id).await().atMost(Platform.LIMIT);
      }
      String text = text(box.execs().attach(id).await().atMost(Platform.LIMIT));
      assertTrue(text.endsWith("late\n"), () -> id + " is cut: " + text.length());
      assertEquals(seen.getStdoutBytes(), text.length());
      assertEquals(seen.getResult().getStdoutBytes(), text.length());
    }
    box.delete().await().atMost(Platform.LIMIT);
  }

  private static String text(ExecHandle handle) {
    StringBuilder text = new StringBuilder();
    handle
        .events()
        .onItem()
        .invoke(
            event -> {
              if (event instanceof ExecEvent.Output output) {
                text.append(StandardCharsets.US_ASCII.decode(output.data()));
              }
            })
        .collect()
        .last()
        .await()
        .atMost(Platform.LIMIT);
    return text.toString();
  }

  @Test
  void shouldGiveEveryByteToAReaderThatBeginsLate() {
    SandboxHandle box = platform.box();
    Command command =
        Execs.program("head", "-c", Long.toString(FOUR_MEBIBYTES), "/dev/zero")
            .setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK)
            .build();
    ExecHandle handle = box.execs().start(command).await().atMost(Platform.LIMIT);
    AssertSubscriber<ExecEvent> reader =
        handle.events().subscribe().withSubscriber(AssertSubscriber.create(0));
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(FULL ? 5 : 1));

    reader.request(Long.MAX_VALUE).awaitCompletion(Platform.LIMIT);

    AtomicLong bytes = new AtomicLong();
    reader.getItems().stream()
        .filter(ExecEvent.Output.class::isInstance)
        .forEach(event -> bytes.addAndGet(((ExecEvent.Output) event).data().remaining()));
    assertEquals(FOUR_MEBIBYTES, bytes.get());
    assertTrue(
        reader.getLastItem() instanceof ExecEvent.Exited, String.valueOf(reader.getLastItem()));
    box.delete().await().atMost(Platform.LIMIT);
  }

  @Test
  void shouldKeepAStreamOnWhichNothingIsSaidForLong() {
    SandboxHandle box = platform.box();

    ExecResult result =
        box.execs().stream(Execs.shell("sleep " + SILENCE_SECONDS + "; echo ok").build())
            .filter(ExecEvent.Exited.class::isInstance)
            .map(event -> ((ExecEvent.Exited) event).result())
            .toUni()
            .await()
            .atMost(LONG);

    assertEquals(0, result.exitCode());
    assertEquals(3, result.message().getStdoutBytes());
    box.delete().await().atMost(Platform.LIMIT);
  }

  @Test
  void shouldLeaveNoDescendantOfACommandThatTookTooLong() {
    SandboxHandle box = platform.box();
    Command command = Execs.shell("sleep 300 & wait").setTimeoutMillis(1_000).build();

    ExecResult result = box.execs().run(command).await().atMost(Platform.LIMIT);

    assertTrue(result.message().getTimedOut());
    assertEquals("", box.run("pidof sleep; true").stdoutText());
    box.delete().await().atMost(Platform.LIMIT);
  }

  @Test
  void shouldEndAtOnceWhenAGrandchildKeepsTheOutputOpen() {
    SandboxHandle box = platform.box();
    long start = System.nanoTime();

    ExecResult result = box.run("sleep 300 & echo ok");

    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertEquals("ok\n", result.stdoutText());
    assertEquals(0, result.exitCode());
    assertTrue(took.toSeconds() < 20, took::toString);
    box.delete().await().atMost(Platform.LIMIT);
  }
}
