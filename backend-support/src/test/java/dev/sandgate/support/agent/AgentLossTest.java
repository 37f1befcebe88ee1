// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Agents that die, stop answering, or are left by the host. */
final class AgentLossTest {

  private static final AgentTuning QUICK = new AgentTuning(Duration.ofMillis(200), 3);

  @Test
  void shouldFailEverythingPendingWhenTheAgentIsKilled() throws Exception {
    try (PlainAgent agent = new PlainAgent(QUICK)) {
      List<CompletableFuture<?>> pending = pending(agent);
      agent.process.destroyForcibly();
      assertAllLost(agent, pending);
      assertTrue(agent.connection.lost().get(1, TimeUnit.SECONDS).contains("channel"));
    }
  }

  @Test
  void shouldFailEverythingPendingWhenTheAgentStopsAnswering() throws Exception {
    try (PlainAgent agent = new PlainAgent(QUICK)) {
      List<CompletableFuture<?>> pending = pending(agent);
      signal(agent.process, "STOP");
      pending.add(agent.connection.stats().subscribeAsCompletionStage());
      long start = System.nanoTime();
      assertAllLost(agent, pending);
      long millis = (System.nanoTime() - start) / 1_000_000;
      assertTrue(millis < 5_000, "took " + millis + " ms");
      assertTrue(agent.connection.lost().get(1, TimeUnit.SECONDS).contains("did not answer"));
    }
  }

  @Test
  void shouldNoticeASilentAgentThatNobodyAsksAnything() throws Exception {
    try (PlainAgent agent = new PlainAgent(new AgentTuning(Duration.ofMillis(50), 3))) {
      signal(agent.process, "STOP");
      agent.connection.lost().get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldKeepASilentAgentThatGetsNoCpuUntilItDoes() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    AtomicBoolean starved = new AtomicBoolean(true);
    GuestView view =
        new GuestView() {
          @Override
          public Uni<Long> memoryKills() {
            return Uni.createFrom().item(0L);
          }

          @Override
          public boolean cannotAnswer() {
            asked.incrementAndGet();
            return starved.get();
          }
        };
    try (PlainAgent agent = new PlainAgent(new AgentTuning(Duration.ofMillis(20), 3))) {
      agent.connection.close();
      agent.connection = agent.connect(view);
      signal(agent.process, "STOP");
      PlainAgent.eventually("it was excused often", () -> asked.get() > 10);
      assertTrue(!agent.connection.lost().isDone());
      starved.set(false);
      agent.connection.lost().get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldGiveUpAnAgentThatRunsAndNeverAnswers() throws Exception {
    GuestView view =
        new GuestView() {
          @Override
          public Uni<Long> memoryKills() {
            return Uni.createFrom().item(0L);
          }

          @Override
          public boolean cannotAnswer() {
            return true;
          }
        };
    try (PlainAgent agent = new PlainAgent(new AgentTuning(Duration.ofMillis(20), 3))) {
      agent.connection.close();
      agent.connection = agent.connect(view);
      signal(agent.process, "STOP");
      agent.connection.lost().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldKeepAQuietAgent() throws Exception {
    try (PlainAgent agent = new PlainAgent(new AgentTuning(Duration.ofMillis(20), 25))) {
      CompletableFuture<String> lost = agent.connection.lost();
      Exec exec = agent.start("sleep", "2");
      assertEquals(0, Result.of(exec).code());
      assertTrue(!lost.isDone());
    }
  }

  @Test
  void shouldFindItsCommandsAgainOverANewConnection() throws Exception {
    try (PlainAgent agent = new PlainAgent()) {
      ExecSpec spec =
          new ExecSpec(
              "keep",
              List.of("sh", "-c", "echo before; read x; echo $x; exit 9"),
              Map.of(),
              "",
              "",
              true,
              Optional.empty(),
              0);
      agent.start(spec);
      agent.connection.close();
      agent.connection.lost().get(10, TimeUnit.SECONDS);
      agent.connection = agent.connect();
      assertEquals(Set.of("keep"), agent.connection.knownExecs());
      Exec exec =
          agent.connection.attach("keep", OutputOffsets.START).await().atMost(PlainAgent.PATIENCE);
      exec.write(0, ByteBuffer.wrap("after\n".getBytes(StandardCharsets.UTF_8)), false)
          .await()
          .atMost(PlainAgent.PATIENCE);
      Result result = Result.of(exec);
      assertEquals("before\nafter\n", result.out());
      assertEquals(9, result.code());
    }
  }

  @Test
  void shouldSayOnAttachThatStdinIsNotOpen() throws Exception {
    try (PlainAgent agent = new PlainAgent()) {
      agent.start(ExecSpec.of("deaf", "sleep", "100"));
      Exec exec =
          agent.connection.attach("deaf", OutputOffsets.START).await().atMost(PlainAgent.PATIENCE);
      SandgateException closed =
          assertThrows(
              SandgateException.class,
              () ->
                  exec.write(0, ByteBuffer.wrap(new byte[1]), false)
                      .await()
                      .atMost(PlainAgent.PATIENCE));
      assertEquals(ErrorCode.FAILED_PRECONDITION, closed.code());
    }
  }

  @Test
  void shouldGiveUpWhereNoAgentIs() {
    try (AgentLoop loop = new AgentLoop("nobody", 1, QUICK)) {
      SandgateException absent =
          assertThrows(
              SandgateException.class,
              () ->
                  loop.connect(
                          Path.of("/tmp/no-such.sock"),
                          Duration.ofMillis(200),
                          () -> Uni.createFrom().item(0L))
                      .await()
                      .atMost(PlainAgent.PATIENCE));
      assertEquals(ErrorCode.SANDBOX_LOST, absent.code());
    }
  }

  private static void signal(Process process, String name) throws Exception {
    int code =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertEquals(0, code);
  }

  private static List<CompletableFuture<?>> pending(PlainAgent agent) {
    List<CompletableFuture<?>> pending = new ArrayList<>();
    Exec exec =
        agent.start(
            new ExecSpec(
                "p", List.of("sleep", "1000"), Map.of(), "", "", true, Optional.empty(), 0));
    pending.add(exec.events().collect().asList().subscribeAsCompletionStage());
    for (long at = 0; at < 16 * 65_536; at += 65_536) {
      CompletableFuture<Long> write =
          exec.write(at, ByteBuffer.allocate(65_536), false).subscribeAsCompletionStage();
      pending.add(write);
      if (!isDoneSoon(write)) {
        break;
      }
    }
    pending.removeIf(CompletableFuture::isDone);
    assertEquals(2, pending.size(), "the events and one write");
    Multi<ByteBuffer> endless = Multi.createFrom().nothing();
    pending.add(
        agent
            .connection
            .files()
            .write(
                new WriteTarget("", agent.directory + "/w", 0600, WriteMode.TRUNCATE, 0, false),
                endless)
            .subscribeAsCompletionStage());
    return pending;
  }

  private static boolean isDoneSoon(CompletableFuture<?> future) {
    try {
      future.get(2, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertAllLost(PlainAgent agent, List<CompletableFuture<?>> pending) {
    for (CompletableFuture<?> one : pending) {
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> one.get(10, TimeUnit.SECONDS));
      assertEquals(ErrorCode.SANDBOX_LOST, ((SandgateException) failure.getCause()).code());
    }
    SandgateException late =
        assertThrows(SandgateException.class, () -> agent.start(ExecSpec.of("late", "true")));
    assertEquals(ErrorCode.SANDBOX_LOST, late.code());
  }
}
