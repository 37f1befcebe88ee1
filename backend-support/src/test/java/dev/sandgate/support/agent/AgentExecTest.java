// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.TerminalSize;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands through a real agent. */
final class AgentExecTest {

  private static PlainAgent agent;

  @BeforeAll
  static void start() throws IOException {
    agent = new PlainAgent();
  }

  @AfterAll
  static void stop() throws Exception {
    agent.close();
  }

  @Test
  void shouldReportExitCodesSignalsAndBothOutputs() {
    for (int code : List.of(0, 1, 7, 127, 255)) {
      assertEquals(code, agent.sh("exit " + code).code());
    }
    Result killed = agent.sh("kill -9 $$");
    assertEquals(-1, killed.code());
    assertEquals(9, killed.exit().signal());
    Result both = agent.sh("echo out; echo err >&2");
    assertEquals("out\n", both.out());
    assertEquals("err\n", both.err());
    assertEquals(new OutputOffsets(4, 4), both.exit().end());
  }

  @Test
  void shouldFailStartsWithTheirReason() {
    SandgateException absent = failure(ExecSpec.of("x1", "/no/such/program"));
    assertEquals(ErrorCode.EXEC_FAILED, absent.code());
    assertTrue(absent.getMessage().contains("/no/such/program"), absent.getMessage());
    assertTrue(absent.getMessage().contains("ENOENT"), absent.getMessage());
    assertEquals(ErrorCode.EXEC_FAILED, failure(ExecSpec.of("x2", "/etc/passwd")).code());
    assertEquals(ErrorCode.EXEC_FAILED, failure(spec("x3", "/nowhere", "", "true")).code());
    assertEquals(ErrorCode.EXEC_FAILED, failure(spec("x4", "", "nobody-such", "true")).code());
  }

  @Test
  void shouldRefuseWhatNoGuestShouldSee() {
    assertEquals("cwd", failure(spec("y1", "/proc/self/fd/3", "", "true")).field());
    assertEquals("cwd", failure(spec("y2", "/tmp/../proc/1/root", "", "true")).field());
    assertEquals("cwd", failure(spec("y3", "../..", "", "true")).field());
    assertEquals("argv", failure(ExecSpec.of("y4", "true", "a\0b")).field());
    assertEquals("argv", failure(ExecSpec.of("y5", "true", "x".repeat(70_000))).field());
    assertEquals("exec_id", failure(ExecSpec.of("../y6", "true")).field());
  }

  @Test
  void shouldStartAnIdOnce() {
    Exec first = agent.start(ExecSpec.of("once", "true"));
    assertEquals(ErrorCode.ALREADY_EXISTS, failure(ExecSpec.of("once", "true")).code());
    assertEquals(0, Result.of(first).code());
    first.release().await().atMost(PlainAgent.PATIENCE);
    assertEquals(0, Result.of(agent.start(ExecSpec.of("once", "true"))).code());
  }

  @Test
  void shouldTakeStdinByOffsetSoThatARetryIsSafe() {
    Exec exec = agent.start(stdin("cat"));
    assertEquals(5, write(exec, 0, "hello", false));
    assertEquals(5, write(exec, 0, "hello", false));
    assertEquals(8, write(exec, 3, "lo wo", false));
    SandgateException gap =
        assertThrows(SandgateException.class, () -> write(exec, 100, "x", false));
    assertEquals(ErrorCode.FAILED_PRECONDITION, gap.code());
    assertEquals(11, write(exec, 8, "rld", true));
    assertEquals(11, write(exec, 8, "rld", true));
    assertEquals("hello world", Result.of(exec).out());
    SandgateException closed =
        assertThrows(SandgateException.class, () -> write(exec, 11, "late", false));
    assertEquals(ErrorCode.FAILED_PRECONDITION, closed.code());
  }

  @Test
  void shouldCloseStdinUnlessAskedFor() {
    assertEquals("", agent.run("cat").out());
    Exec exec = agent.start("sleep", "100");
    SandgateException closed =
        assertThrows(SandgateException.class, () -> write(exec, 0, "x", false));
    assertEquals(ErrorCode.FAILED_PRECONDITION, closed.code());
    exec.signal(9, SignalTarget.TREE).await().atMost(PlainAgent.PATIENCE);
    assertEquals(9, Result.of(exec).exit().signal());
  }

  @Test
  void shouldFailWritesToACommandThatTakesNoMore() {
    Exec exec = agent.start(stdin("sh", "-c", "head -c 1 >/dev/null; exec <&-; sleep 100"));
    ByteBuffer chunk = ByteBuffer.allocate(65_536);
    SandgateException closed =
        assertThrows(
            SandgateException.class,
            () -> {
              for (long at = 0; at < 1L << 30; at += 65_536) {
                exec.write(at, chunk.duplicate(), false).await().atMost(PlainAgent.PATIENCE);
              }
            });
    assertEquals(ErrorCode.FAILED_PRECONDITION, closed.code());
    exec.signal(9, SignalTarget.TREE).await().atMost(PlainAgent.PATIENCE);
    assertEquals(9, Result.of(exec).exit().signal());
  }

  @Test
  void shouldGiveATerminalItsSizeItsEndAndItsSignals() {
    ExecSpec spec =
        new ExecSpec(
            UUID.randomUUID().toString(),
            List.of("sh", "-c", "stty size; read line; stty size; echo got $line; cat"),
            Map.of(),
            "",
            "",
            true,
            Optional.of(new TerminalSize(91, 37)),
            0);
    Exec exec = agent.start(spec);
    exec.resize(new TerminalSize(80, 24)).await().atMost(PlainAgent.PATIENCE);
    write(exec, 0, "word\n", false);
    write(exec, 5, "", true);
    Result result = Result.of(exec);
    assertTrue(result.out().contains("24 80\r\n"), result.out());
    assertTrue(result.out().contains("got word"), result.out());
    assertEquals(0, result.code());
  }

  @Test
  void shouldKillTheWholeTreeWhateverItDidToEscape() throws IOException {
    Exec exec =
        agent.start("sh", "-c", "for i in 1 2 3; do (trap '' TERM; setsid sleep 999)& done; wait");
    PlainAgent.eventually("four processes", () -> count() >= 4);
    exec.signal(9, SignalTarget.TREE).await().atMost(PlainAgent.PATIENCE);
    assertEquals(9, Result.of(exec).exit().signal());
    PlainAgent.eventually("nobody is left", () -> count() == 0);
  }

  @Test
  void shouldLeaveNoProcessWhenAStartIsCancelled() {
    Queue<Exec> inTime = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 200; i++) {
      var start = agent.connection.exec(ExecSpec.of("c" + i, "sleep", "1000"));
      start.subscribe().with(inTime::add).cancel();
    }
    agent.connection.stats().await().atMost(PlainAgent.PATIENCE);
    assertTrue(inTime.size() < 10, inTime.size() + " came before they were cancelled");
    for (Exec exec : inTime) { // whose they are who got them
      exec.signal(9, SignalTarget.TREE).await().atMost(PlainAgent.PATIENCE);
      exec.release().await().atMost(PlainAgent.PATIENCE);
    }
    PlainAgent.eventually("nobody is left", () -> count() == 0);
    PlainAgent.eventually(
        "no record is left",
        () -> agent.connection.stats().await().atMost(PlainAgent.PATIENCE).execs() == 0);
  }

  @Test
  void shouldLeaveACommandAloneWhenWhatFollowsItsStartIsCancelled() {
    CompletableFuture<Exec> used = new CompletableFuture<>();
    Cancellable follow =
        agent
            .connection
            .exec(ExecSpec.of("chained", "sh", "-c", "sleep 1; exit 8"))
            .chain(
                exec -> {
                  assertEquals("chained", exec.id());
                  used.complete(exec);
                  return Uni.createFrom().nothing();
                })
            .subscribe()
            .with(nothing -> {});
    Exec exec = used.orTimeout(30, TimeUnit.SECONDS).join();
    follow.cancel();
    assertEquals(8, Result.of(exec).code());
  }

  @Test
  void shouldTakeACommandUpWhereItWasLeft() {
    Exec exec = agent.start("sh", "-c", "echo one; sleep 0.2; echo two; exit 3");
    AssertSubscriber<ExecEvent> reader =
        exec.events().subscribe().withSubscriber(AssertSubscriber.create(1));
    reader.awaitItems(1, PlainAgent.PATIENCE);
    Exec again =
        agent
            .connection
            .attach(exec.id(), new OutputOffsets(2, 0))
            .await()
            .atMost(PlainAgent.PATIENCE);
    Throwable superseded = reader.awaitFailure(PlainAgent.PATIENCE).getFailure();
    assertEquals(ErrorCode.FAILED_PRECONDITION, ((SandgateException) superseded).code());
    List<ExecEvent> events = again.events().collect().asList().await().atMost(PlainAgent.PATIENCE);
    Output first = (Output) events.getFirst();
    assertEquals(2, first.offset());
    assertEquals("e\n", StandardCharsets.UTF_8.decode(first.data()).toString().substring(0, 2));
    again.release().await().atMost(PlainAgent.PATIENCE);
    SandgateException gone =
        assertThrows(
            SandgateException.class,
            () ->
                agent
                    .connection
                    .attach(exec.id(), OutputOffsets.START)
                    .await()
                    .atMost(PlainAgent.PATIENCE));
    assertEquals(ErrorCode.NOT_FOUND, gone.code());
  }

  @Test
  @Timeout(900)
  void shouldRunThousandsOfShortCommandsManyAtATime() {
    int count = Integer.getInteger("sandgate.burst", 2_000);
    long start = System.nanoTime();
    List<Uni<Void>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(echo("burst" + i));
    }
    Uni.join().all(all).usingConcurrencyOf(64).andFailFast().await().indefinitely();
    long millis = (System.nanoTime() - start) / 1_000_000;
    System.out.println(
        count + " echo commands at 64: " + millis + " ms, " + count * 1000L / millis + "/s");
    assertEquals(0, agent.connection.stats().await().atMost(PlainAgent.PATIENCE).execs());
  }

  private static Uni<Void> echo(String id) {
    return agent
        .connection
        .exec(ExecSpec.of(id, "/bin/echo", id))
        .chain(
            exec ->
                exec.events()
                    .collect()
                    .asList()
                    .invoke(
                        events -> {
                          assertEquals(2, events.size());
                          Output output = (Output) events.getFirst();
                          assertEquals(
                              id + "\n", StandardCharsets.UTF_8.decode(output.data()).toString());
                        })
                    .chain(exec::release));
  }

  private static int count() {
    try {
      return agent.processes().size();
    } catch (IOException | UncheckedIOException e) {
      return -1; // a cgroup was removed meanwhile
    }
  }

  private static long write(Exec exec, long offset, String text, boolean end) {
    ByteBuffer data = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    return exec.write(offset, data, end).await().atMost(PlainAgent.PATIENCE);
  }

  private static ExecSpec stdin(String... argv) {
    String id = UUID.randomUUID().toString();
    return new ExecSpec(id, List.of(argv), Map.of(), "", "", true, Optional.empty(), 0);
  }

  private static ExecSpec spec(String id, String cwd, String user, String... argv) {
    return new ExecSpec(id, List.of(argv), Map.of(), cwd, user, false, Optional.empty(), 0);
  }

  private static SandgateException failure(ExecSpec spec) {
    return assertThrows(SandgateException.class, () -> agent.start(spec));
  }
}
