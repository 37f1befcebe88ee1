// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.ListSessionsRequest;
import dev.sandgate.proto.v1.OpenSessionRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SessionsGrpcClient;
import dev.sandgate.proto.v1.WatchFilesRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Containers that return to what they were made of, in place. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerResetTest {

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

  @Test
  void shouldBeAsItsEnvironmentHasIt() {
    try (Box box = box()) {
      String fresh = box.says(Box.MANIFEST);
      box.says(
          """
          echo 1 > /f; rm -r /var; echo x >> /etc/passwd; chmod 777 /root; echo 1 > /dev/shm/s; echo 1 > /tmp/t
          echo 1 > /run/r; hostname; (sleep 1000 > /dev/null 2>&1 &); (nc -l -p 7777 > /dev/null 2>&1 &)""");
      assertNotEquals(fresh, box.says(Box.MANIFEST));
      box.reset();
      assertEquals(fresh, box.says(Box.MANIFEST));
      assertEquals("", box.says("find /dev/shm /dev/mqueue /tmp /run -mindepth 1"));
      assertEquals("", box.says("ps -o comm | awk '/^(sleep|nc)$/'"));
      assertEquals("", box.says("awk '/:1E61 /' /proc/net/tcp"));
    }
  }

  @Test
  void shouldComeBackAfterEverythingWasRemoved() {
    try (Box box = box()) {
      String fresh = box.says(Box.MANIFEST);
      box.run(
          "rm -rf / --no-preserve-root 2>/dev/null; rm -rf /bin /etc /usr /sbin /home /root /var");
      assertThrows(Failed.class, () -> box.says("true"));
      box.reset();
      assertEquals(fresh, box.says(Box.MANIFEST));
    }
  }

  @Test
  void shouldKeepIdLabelsLimitsAndLease() {
    SandboxSpec spec =
        SandboxSpec.newBuilder()
            .setEnvironment("busybox")
            .setUser("root")
            .putLabels("episode", "e1")
            .putEnv("GREETING", "hi")
            .setHostname("mine")
            .setLeaseMillis(600_000)
            .setLimits(Limits.newBuilder().setPids(77).setMemoryBytes(64 << 20))
            .build();
    try (Box box = Box.of(host.rpc(), spec)) {
      Sandbox after = box.reset();
      assertEquals(box.id(), after.getSandboxId());
      assertEquals(SandboxState.SANDBOX_STATE_RUNNING, after.getState());
      assertEquals("e1", after.getSpec().getLabelsOrThrow("episode"));
      assertTrue(after.hasLeaseUntil());
      assertEquals("hi mine root", box.says("echo $GREETING $(hostname) $(id -un)"));
      assertEquals(
          "77",
          box.says("cat /sys/fs/cgroup/pids/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids.max"));
    }
  }

  @Test
  void shouldTellAPendingFileCallThatItWasReset() {
    try (Box box = box()) {
      var watch =
          host.rpc().stream(
              FilesGrpcClient.Watch,
              WatchFilesRequest.newBuilder().setSandboxId(box.id()).setPath("/tmp").build());
      watch.next();
      box.reset();
      Failed ended = assertThrows(Failed.class, watch::rest);
      assertTrue(String.valueOf(ended.getMessage()).contains("is being reset"), ended.getMessage());
    }
  }

  @Test
  void shouldEndCommandsAndSessionsWithAReason() {
    try (Box box = box()) {
      box.start("runs", "echo on; sleep 1000");
      box.says("true");
      host.rpc()
          .unary(
              SessionsGrpcClient.Open,
              OpenSessionRequest.newBuilder().setSandboxId(box.id()).setSessionId("s").build());
      box.reset();
      ExecResult ended = attached(box, "runs");
      assertEquals("SANDBOX_RESET", ended.getKillReason());
      assertEquals(ExecOutcome.EXEC_OUTCOME_UNKNOWN, ended.getOutcome());
      assertEquals(
          0,
          host.rpc()
              .unary(
                  SessionsGrpcClient.List,
                  ListSessionsRequest.newBuilder().setSandboxId(box.id()).build())
              .getSessionsCount());
      host.rpc()
          .unary(
              SessionsGrpcClient.Open,
              OpenSessionRequest.newBuilder().setSandboxId(box.id()).setSessionId("s").build());
    }
  }

  private ExecResult attached(Box box, String execId) {
    List<ExecEvent> events =
        host.rpc().stream(
                ExecsGrpcClient.Attach,
                AttachExecRequest.newBuilder().setSandboxId(box.id()).setExecId(execId).build())
            .rest();
    return events.getLast().getExited();
  }

  @Test
  void shouldTakeAsLongWhateverWasWritten() {
    try (Box little = box();
        Box much = box()) {
      much.says(
          "mkdir /many; cd /many; for d in $(seq 40); do mkdir $d; (cd $d; seq 500 | xargs touch); done");
      much.says("head -c 300000000 /dev/zero > /big");
      List<Long> small = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        small.add(time(little));
      }
      long large = time(much);
      long usual = small.stream().sorted().toList().get(2);
      assertTrue(large < 5 * usual + 50_000_000, large + " ns after much, else " + usual);
    }
  }

  private static long time(Box box) {
    long begun = System.nanoTime();
    box.reset();
    return System.nanoTime() - begun;
  }

  /** Every command either ran to its end before, is gone with the reset, ran after it, or was refused: never both or half. */
  @Test
  void shouldMeetCommandsCleanly() throws InterruptedException {
    try (Box box = box();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Set<String> reasons = new ConcurrentSkipListSet<>();
      for (int i = 0; i < 60; i++) {
        String id = "c" + i;
        threads.execute(() -> reasons.add(outcome(box, id)));
        if (i % 10 == 5) {
          box.reset();
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      threads.shutdown();
      assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
      assertTrue(
          Set.of("done", "FAILED_PRECONDITION", "SANDBOX_RESET").containsAll(reasons),
          reasons.toString());
      box.reset();
      assertEquals("", box.says("ps -o comm | awk '/^sleep$/'"));
      assertEquals("0", box.says("ls /tmp | wc -l"));
    }
  }

  private String outcome(Box box, String id) {
    try {
      Command command = Command.newBuilder().setShell("touch /tmp/" + id + "; sleep 0.05").build();
      ExecResult result =
          host.rpc()
              .unary(
                  ExecsGrpcClient.Run,
                  RunExecRequest.newBuilder()
                      .setSandboxId(box.id())
                      .setExecId(id)
                      .setCommand(command)
                      .build());
      return result.getKillReason().isEmpty() ? "done" : result.getKillReason();
    } catch (Failed refused) {
      return refused.detail().getCode();
    }
  }

  @Test
  void shouldMeetAnotherResetAndADelete() throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      Box box = box();
      Set<String> outcomes = new ConcurrentSkipListSet<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        threads.execute(() -> outcomes.add(tried(box)));
        threads.execute(() -> outcomes.add(tried(box)));
        LockSupport.parkNanos(Duration.ofMillis(i).toNanos());
        if (i % 2 == 0) {
          threads.execute(box::close);
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
      }
      if (i % 2 == 1) {
        assertEquals(Set.of("done"), outcomes);
        assertEquals("hi", box.says("echo hi"));
        box.close();
      }
      Failed gone = assertThrows(Failed.class, () -> box.says("true"));
      assertEquals(GrpcStatus.FAILED_PRECONDITION, gone.status(), gone.getMessage());
    }
  }

  private static String tried(Box box) {
    try {
      box.reset();
      return "done";
    } catch (Failed refused) {
      return refused.detail().getCode();
    }
  }
}
