// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.SignalExecRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.proto.v1.WriteStdinRequest;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a restarted node takes back. */
class RestartTest {

  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Sandbox get(String id) {
    return node.rpc()
        .unary(SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(id).build());
  }

  private Exec exec(String sandbox, String id) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Get,
            GetExecRequest.newBuilder().setSandboxId(sandbox).setExecId(id).build());
  }

  private Ran attach(String sandbox, String id) {
    return Ran.of(
        node.rpc().stream(
                ExecsGrpcClient.Attach,
                AttachExecRequest.newBuilder().setSandboxId(sandbox).setExecId(id).build())
            .rest());
  }

  private Ran run(String sandbox, String id, String... argv) {
    return Ran.of(node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, id, argv)).rest());
  }

  @Test
  void shouldTakeBackSandboxesAndTheirCommands() {
    Sandbox before = node.create();
    String id = before.getSandboxId();
    run(id, "done", "echo", "before");
    node.rpc().stream(ExecsGrpcClient.Start, start(id, "running", "sleep", "2")).next();

    node.restart();

    Sandbox after = get(id);
    assertEquals(SandboxState.SANDBOX_STATE_RUNNING, after.getState());
    assertEquals(before.getSpec(), after.getSpec());
    assertEquals("after\n", run(id, "new", "echo", "after").stdout());
    Ran running = attach(id, "running");
    assertEquals(ExecOutcome.EXEC_OUTCOME_EXITED, running.result().getOutcome());
    assertEquals(0, running.result().getExitCode());
    Ran done = attach(id, "done");
    assertEquals("before\n", done.stdout());
    assertEquals(List.of(), done.truncated());
    int passed = node.host().faults().passed(Point.EXEC);
    assertEquals(0, run(id, "done", "echo", "before").result().getExitCode());
    assertEquals(passed, node.host().faults().passed(Point.EXEC), "it ran again");
  }

  /** Who waited for the node goes on at once, before commands are in hand again. */
  @Test
  void shouldTakeInputAndSignalsForCommandsThatAreBeingTakenBack() {
    String id = node.create().getSandboxId();
    node.rpc().stream(ExecsGrpcClient.Start, withStdin(id, "cat", "cat")).next();
    node.rpc().stream(ExecsGrpcClient.Start, withStdin(id, "sleeper", "sleep", "1000")).next();
    node.rpc().unary(ExecsGrpcClient.WriteStdin, chunk(id, 0, "one", false));
    node.host().faults().delay(Point.ATTACH, Duration.ofMillis(700));

    node.restart();

    node.rpc().unary(ExecsGrpcClient.WriteStdin, chunk(id, 3, "two", true));
    SignalExecRequest kill =
        SignalExecRequest.newBuilder()
            .setSandboxId(id)
            .setExecId("sleeper")
            .setSignal(Signal.newBuilder().setNumber(9))
            .build();
    node.rpc().unary(ExecsGrpcClient.Signal, kill);
    assertEquals("onetwo", attach(id, "cat").stdout());
    assertEquals(9, attach(id, "sleeper").result().getSignal());
  }

  private static StartExecRequest withStdin(String sandbox, String id, String... argv) {
    StartExecRequest.Builder start = start(sandbox, id, argv).toBuilder();
    start.getCommandBuilder().setStdin(true);
    return start.build();
  }

  private static WriteStdinRequest chunk(String sandbox, long offset, String text, boolean end) {
    return WriteStdinRequest.newBuilder()
        .setSandboxId(sandbox)
        .setExecId("cat")
        .setChunk(
            StdinChunk.newBuilder()
                .setOffset(offset)
                .setData(ByteString.copyFromUtf8(text))
                .setEnd(end))
        .build();
  }

  @Test
  void shouldKeepKeysAndFindNothingTwice() {
    var keyed = TestNode.request().setIdempotencyKey("kept").build();
    String id = node.rpc().unary(SandboxesGrpcClient.Create, keyed).getSandboxId();
    node.restart();
    assertEquals(id, node.rpc().unary(SandboxesGrpcClient.Create, keyed).getSandboxId());
  }

  @Test
  void shouldSayThatWhatDidNotSurviveIsLost() {
    String id = node.create().getSandboxId();
    node.rpc().stream(ExecsGrpcClient.Start, start(id, "x", "sleep", "30")).next();
    Eventually.holds("it is recorded", () -> !exec(id, "x").hasResult());
    node.stop();
    node.host().kill(id, Reason.LOST);
    node.begin();
    Sandbox lost =
        Eventually.value(
            "lost", () -> get(id), s -> s.getState() == SandboxState.SANDBOX_STATE_FAILED);
    assertEquals("LOST", lost.getTermination().getReason());
    Failed failed = assertThrows(Failed.class, () -> run(id, "y", "true"));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, failed.status());
    assertEquals(ExecOutcome.EXEC_OUTCOME_UNKNOWN, exec(id, "x").getResult().getOutcome());
    assertEquals("SANDBOX_LOST", exec(id, "x").getResult().getKillReason());
  }

  @Test
  void shouldRemoveWhatNobodyKnowsAndListenAtOnce() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      ids.add(node.create().getSandboxId());
    }
    node.stop();
    node.host().faults().delay(Point.ADOPT, Duration.ofSeconds(2));
    long begun = System.nanoTime();
    node.begin();
    long listening = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    assertTrue(listening < 2_000, listening + " ms");
    assertFalse(node.node().adopted().isDone());
    assertEquals("hi\n", run(ids.get(250), "e", "echo", "hi").stdout());
    node.node().adopted().join();
    assertEquals(500, node.host().sandboxIds().size());
  }

  @Test
  void shouldRefuseADataDirectoryInUse() {
    NodeConfig same = NodeConfig.of("n2", node.directory(), TestNode.TOKEN);
    Vertx vertx = node.vertx();
    SandgateException refused =
        assertThrows(SandgateException.class, () -> Node.start(vertx, same));
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    assertEquals("node.data", refused.field());
  }
}
