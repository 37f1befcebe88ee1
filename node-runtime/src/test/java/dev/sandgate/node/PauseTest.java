// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.Latency;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.SignalExecRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StatFileRequest;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.proto.v1.WaitExecRequest;
import dev.sandgate.proto.v1.WriteStdinRequest;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Containers that stand still, and wake when something is asked of them. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PauseTest {

  private static final String COUNT = "while :; do echo x >> /tmp/count; sleep 0.02; done";

  private ContainerNode host;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private Box box() {
    return Box.of(host.rpc(), "busybox");
  }

  private static void assertPaused(Box box) {
    Sandbox sandbox = box.get();
    assertEquals(SandboxState.SANDBOX_STATE_PAUSED, sandbox.getState());
    assertTrue(sandbox.hasPausedAt());
  }

  private static void wait(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }

  private static long lines(Box box) {
    return Long.parseLong(box.says("cat /tmp/count 2>/dev/null | wc -l"));
  }

  private long resumes() {
    return host
        .rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getLatenciesList()
        .stream()
        .filter(latency -> latency.getOperation().equals("resume"))
        .mapToLong(Latency::getCount)
        .sum();
  }

  @Test
  void shouldStandStillUntilItIsResumedAndGoOnWhereItWas() {
    try (Box box = box()) {
      box.says("mkfifo /tmp/in; echo kept > /dev/shm/kept");
      box.start("counter", COUNT).next();
      Eventually.holds("it counts", () -> lines(box) > 3);
      assertEquals(SandboxState.SANDBOX_STATE_PAUSED, box.pause().getSandbox().getState());
      assertPaused(box);
      long cpu = box.get().getUsage().getCpuMicros();
      wait(Duration.ofSeconds(2));
      assertTrue(box.get().getUsage().getCpuMicros() - cpu < 2_000, "it uses CPU time");
      Sandbox resumed = box.resume();
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, resumed.getState());
      assertTrue(resumed.getPausedMillis() >= 2_000 && !resumed.hasPausedAt());
      long now = lines(box);
      assertTrue(now < 80, () -> now + " steps, though it stood still");
      Eventually.holds("it goes on", () -> lines(box) > now);
      assertEquals("kept", box.says("cat /dev/shm/kept; [ -p /tmp/in ]"));
    }
  }

  @Test
  void shouldResumeOnceHoweverManyAskForSomething() throws Exception {
    try (Box box = box();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      box.pause();
      long before = resumes();
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String word = "w" + i;
        answers.add(callers.submit(() -> box.says("echo " + word)));
      }
      for (int i = 0; i < 100; i++) {
        assertEquals("w" + i, answers.get(i).get());
      }
      assertEquals(1, resumes() - before, "resumes");
    }
  }

  @Test
  void shouldResumeForFilesSessionsAndSignals() {
    try (Box box = box()) {
      box.start("sleeper", "exec sleep 1000").next();
      box.pause();
      host.rpc()
          .unary(
              FilesGrpcClient.Stat,
              StatFileRequest.newBuilder().setSandboxId(box.id()).setPath("/bin").build());
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, box.get().getState());
      box.pause();
      host.rpc()
          .unary(
              SessionsGrpcClient.Open,
              OpenSessionRequest.newBuilder().setSandboxId(box.id()).setSessionId("s").build());
      box.pause();
      host.rpc()
          .unary(
              ExecsGrpcClient.Signal,
              SignalExecRequest.newBuilder()
                  .setSandboxId(box.id())
                  .setExecId("sleeper")
                  .setSignal(Signal.newBuilder().setNumber(9))
                  .build());
      assertEquals(9, awaited(box, "sleeper").getSignal());
    }
  }

  @Test
  void shouldResumeForInput() {
    try (Box box = box()) {
      host.rpc().stream(
              ExecsGrpcClient.Start,
              StartExecRequest.newBuilder()
                  .setSandboxId(box.id())
                  .setExecId("cat")
                  .setCommand(Command.newBuilder().addArgv("cat").setStdin(true))
                  .build())
          .next();
      box.pause();
      WriteStdinRequest input =
          WriteStdinRequest.newBuilder()
              .setSandboxId(box.id())
              .setExecId("cat")
              .setChunk(StdinChunk.newBuilder().setEnd(true))
              .build();
      host.rpc().unary(ExecsGrpcClient.WriteStdin, input);
      assertEquals(0, awaited(box, "cat").getExitCode());
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, box.get().getState());
    }
  }

  private ExecResult awaited(Box box, String execId) {
    WaitExecRequest request =
        WaitExecRequest.newBuilder().setSandboxId(box.id()).setExecId(execId).build();
    return host.rpc().unary(ExecsGrpcClient.Wait, request).getResult();
  }

  @Test
  void shouldNotResumeForWhoReadsRecords() {
    try (Box box = box()) {
      box.start("sleeper", "echo hi; exec sleep 1000").next();
      box.pause();
      host.rpc()
          .unary(
              ExecsGrpcClient.Get,
              GetExecRequest.newBuilder().setSandboxId(box.id()).setExecId("sleeper").build());
      assertPaused(box);
    }
  }

  @Test
  void shouldNotCountAPauseAsACommandsTime() {
    try (Box box = box()) {
      host.rpc().stream(
              ExecsGrpcClient.Start,
              StartExecRequest.newBuilder()
                  .setSandboxId(box.id())
                  .setExecId("limited")
                  .setCommand(
                      Command.newBuilder().setShell("sleep 2; echo done").setTimeoutMillis(4_000))
                  .build())
          .next();
      box.pause();
      wait(Duration.ofSeconds(5));
      box.resume();
      ExecResult result = awaited(box, "limited");
      assertEquals("", result.getKillReason());
      assertEquals(0, result.getExitCode());
    }
  }

  @Test
  void shouldCountAPauseOverARestartOfTheNode() {
    SandboxSpec spec =
        SandboxSpec.newBuilder().setEnvironment("busybox").setLeaseMillis(4_000).build();
    String id = Box.of(host.rpc(), spec).id();
    host.rpc().stream(
            ExecsGrpcClient.Start,
            StartExecRequest.newBuilder()
                .setSandboxId(id)
                .setExecId("limited")
                .setCommand(
                    Command.newBuilder().setShell("sleep 2; echo done").setTimeoutMillis(4_000))
                .build())
        .next();
    new Box(host.rpc(), id).pause();
    wait(Duration.ofSeconds(5));
    host.node().restart();
    try (Box box = new Box(host.rpc(), id)) {
      Eventually.holds(
          "it stands still again", () -> box.get().getState() == SandboxState.SANDBOX_STATE_PAUSED);
      Sandbox resumed = box.resume();
      assertTrue(resumed.getPausedMillis() >= 5_000, resumed::toString);
      assertTrue(
          resumed.getLeaseUntil().getSeconds() >= resumed.getCreatedAt().getSeconds() + 9,
          resumed::toString);
      ExecResult result = awaited(box, "limited");
      assertEquals("", result.getKillReason());
      assertEquals(0, result.getExitCode());
    }
  }

  @Test
  void shouldEndWhatStandsStillForTooLongButForNoLease() {
    SandboxSpec spec =
        SandboxSpec.newBuilder()
            .setEnvironment("busybox")
            .setLeaseMillis(500)
            .setPausedLifetimeMillis(1_500)
            .build();
    Box box = Box.of(host.rpc(), spec);
    box.pause();
    wait(Duration.ofMillis(800));
    assertPaused(box);
    Eventually.holds("it ends", () -> box.get().getTermination().getReason().equals("PAUSED_TTL"));
  }

  @Test
  void shouldResetAPausedOneAndDestroyOne() {
    try (Box box = box()) {
      box.says("echo x > /x");
      box.pause();
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, box.reset().getState());
      assertEquals("gone", box.says("[ -e /x ] || echo gone"));
      box.pause();
    }
  }

  @Test
  void shouldPauseAndResumeInAnyOrderWhileCommandsCome() throws Exception {
    try (Box box = box();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> commands =
          callers.submit(
              () -> {
                int run = 0;
                for (; run < 60; run++) {
                  box.says("echo " + run + " >> /tmp/all");
                }
                return run;
              });
      while (!commands.isDone()) {
        box.pause();
        box.resume();
      }
      assertEquals(60, commands.get());
      assertEquals("60", box.says("wc -l < /tmp/all"));
    }
  }

  @Test
  void shouldRefuseWhatHasEndedOrIsUnknown() {
    Box box = box();
    box.close();
    assertEquals(GrpcStatus.FAILED_PRECONDITION, assertThrows(Failed.class, box::pause).status());
    assertEquals(GrpcStatus.FAILED_PRECONDITION, assertThrows(Failed.class, box::resume).status());
    Box unknown = new Box(host.rpc(), box.id() + "0");
    assertEquals(GrpcStatus.NOT_FOUND, assertThrows(Failed.class, unknown::pause).status());
    assertFalse(box.get().hasPausedAt());
  }
}
