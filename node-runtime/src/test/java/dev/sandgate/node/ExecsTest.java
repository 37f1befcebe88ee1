// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetExecRequest;
import dev.sandgate.proto.v1.ListExecsRequest;
import dev.sandgate.proto.v1.ListExecsResponse;
import dev.sandgate.proto.v1.OutputPolicy;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.SignalExecRequest;
import dev.sandgate.proto.v1.SignalTarget;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.proto.v1.TerminalSize;
import dev.sandgate.proto.v1.WriteStdinRequest;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Termination.Reason;
import dev.sandgate.tck.Eventually;
import dev.sandgate.tck.fake.Faults.Point;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Starting commands, following them, finding them again. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExecsTest {

  private TestNode node;
  private String sandbox;

  @BeforeAll
  void begin() {
    node = TestNode.start();
    sandbox = node.create().getSandboxId();
  }

  @AfterAll
  void end() {
    node.close();
  }

  private Answers<StartExecRequest, ExecEvent> open(StartExecRequest request) {
    return node.rpc().stream(ExecsGrpcClient.Start, request);
  }

  private Ran run(String id, String... argv) {
    return Ran.of(open(start(sandbox, id, argv)).rest());
  }

  private Ran attach(String id, long stdoutOffset) {
    AttachExecRequest request =
        AttachExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId(id)
            .setStdoutOffset(stdoutOffset)
            .build();
    return Ran.of(node.rpc().stream(ExecsGrpcClient.Attach, request).rest());
  }

  private Exec get(String id) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.Get,
            GetExecRequest.newBuilder().setSandboxId(sandbox).setExecId(id).build());
  }

  private void signal(String id, int number, SignalTarget target) {
    node.rpc()
        .unary(
            ExecsGrpcClient.Signal,
            SignalExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setSignal(Signal.newBuilder().setNumber(number).setTarget(target))
                .build());
  }

  @Test
  void shouldStreamOutputAndThenTheExit() {
    Ran ran = run("", "echo", "hello", "world");
    assertEquals("hello world\n", ran.stdout());
    assertEquals(ExecOutcome.EXEC_OUTCOME_EXITED, ran.result().getOutcome());
    assertEquals(0, ran.result().getExitCode());
    assertEquals(12, ran.result().getStdoutBytes());
    assertEquals(3, run("", "exit", "3").result().getExitCode());
  }

  private static Command.Builder shell(String line) {
    return Command.newBuilder().addArgv("sh").addArgv("-c").addArgv(line);
  }

  @Test
  void shouldKeepBothStreamsApart() {
    Command shell = shell("echo out ; echo err >&2 ; exit 4").build();
    Ran ran =
        Ran.of(
            open(StartExecRequest.newBuilder().setSandboxId(sandbox).setCommand(shell).build())
                .rest());
    assertEquals("out\n", ran.stdout());
    assertEquals("err\n", ran.stderr());
    assertEquals(4, ran.result().getExitCode());
  }

  @Test
  void shouldAttachFromAnyOffsetAfterTheExit() {
    assertEquals("hello\n", run("again", "echo", "hello").stdout());
    assertEquals("hello\n", attach("again", 0).stdout());
    assertEquals("lo\n", attach("again", 3).stdout());
    assertEquals("", attach("again", 6).stdout());
    assertEquals("hello\n", run("again", "echo", "hello").stdout());
    StartExecRequest.Builder blocking =
        StartExecRequest.newBuilder().setSandboxId(sandbox).setExecId("again");
    blocking.getCommandBuilder().addAllArgv(List.of("echo", "hello"));
    blocking.getCommandBuilder().setOutputPolicy(OutputPolicy.OUTPUT_POLICY_BLOCK);
    assertEquals("hello\n", Ran.of(open(blocking.build()).rest()).stdout());
  }

  @Test
  void shouldRefuseAnotherCommandUnderAKnownId() {
    run("taken", "echo", "one");
    Failed failed = assertThrows(Failed.class, () -> run("taken", "echo", "two"));
    assertEquals(GrpcStatus.ALREADY_EXISTS, failed.status());
    assertEquals("exec_id", failed.detail().getField());
  }

  @Test
  void shouldRunAKnownIdOnceHoweverManyStartIt() throws Exception {
    int before = node.host().faults().passed(Point.EXEC);
    List<Thread> threads = new ArrayList<>();
    List<String> outputs = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 20; i++) {
      threads.add(
          Thread.ofVirtual().start(() -> outputs.add(run("many", "echo", "once").stdout())));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(20, outputs.size());
    assertTrue(outputs.stream().allMatch("once\n"::equals), outputs.toString());
    assertEquals(before + 1, node.host().faults().passed(Point.EXEC));
  }

  @Test
  void shouldFreeTheIdOfACommandThatCouldNotStart() {
    node.host().faults().fail(Point.EXEC, ErrorCode.EXEC_FAILED, 1);
    Failed failed = assertThrows(Failed.class, () -> run("free", "echo", "x"));
    assertEquals("EXEC_FAILED", failed.detail().getCode());
    assertEquals("x\n", run("free", "echo", "x").stdout());
  }

  @Test
  void shouldKillACommandThatTakesTooLongAndKeepItsOutput() {
    Command slow = shell("echo begun ; sleep 30").setTimeoutMillis(200).build();
    Ran ran =
        Ran.of(
            open(StartExecRequest.newBuilder().setSandboxId(sandbox).setCommand(slow).build())
                .rest());
    assertEquals("begun\n", ran.stdout());
    assertEquals(ExecOutcome.EXEC_OUTCOME_SIGNALLED, ran.result().getOutcome());
    assertEquals(137, ran.result().getExitCode());
    assertEquals(9, ran.result().getSignal());
    assertEquals("COMMAND_TIMEOUT", ran.result().getKillReason());
    assertTrue(ran.result().getTimedOut());
  }

  @Test
  void shouldKillACommandThatTakesTooLongAgainWhenTheFirstTimeWasInVain() {
    node.host().faults().fail(Point.SIGNAL, ErrorCode.INTERNAL, 1);
    Command slow = shell("sleep 30").setTimeoutMillis(200).build();
    Ran ran =
        Ran.of(
            open(StartExecRequest.newBuilder().setSandboxId(sandbox).setCommand(slow).build())
                .rest());
    assertTrue(ran.result().getTimedOut());
    assertEquals(2, node.host().faults().passed(Point.SIGNAL));
  }

  @Test
  void shouldLeaveTheCommandRunningWhenTheCallIsCancelled() {
    Answers<StartExecRequest, ExecEvent> call = open(start(sandbox, "left", "sleep", "30"));
    call.next();
    call.cancel();
    assertFalse(get("left").hasResult());
    signal("left", 15, SignalTarget.SIGNAL_TARGET_TREE);
    Ran ran = attach("left", 0);
    assertEquals(9, ran.result().getSignal());
    assertEquals("CALLER", ran.result().getKillReason());
    signal("left", 9, SignalTarget.SIGNAL_TARGET_GROUP);
  }

  @Test
  void shouldKeepTheEndForOthersWhenOneOfThemLeaves() throws Exception {
    RunExecRequest shared =
        RunExecRequest.newBuilder()
            .setSandboxId(sandbox)
            .setExecId("shared")
            .setCommand(shell("sleep 30"))
            .build();
    FutureTask<ExecResult> stays =
        new FutureTask<>(() -> node.rpc().unary(ExecsGrpcClient.Run, shared));
    Thread.ofVirtual().start(stays);
    Eventually.holds("it runs", () -> isKnown("shared"));
    for (int i = 0; i < 3; i++) {
      assertThrows(Failed.class, () -> node.rpc().stream(ExecsGrpcClient.Run, shared, 200).only());
    }
    assertFalse(stays.isDone());
    signal("shared", 9, SignalTarget.SIGNAL_TARGET_TREE);
    assertEquals(137, stays.get(10, TimeUnit.SECONDS).getExitCode());
  }

  private boolean isKnown(String execId) {
    try {
      return !get(execId).hasResult();
    } catch (Failed notYet) {
      return false;
    }
  }

  @Test
  void shouldRunToTheEndWithStdinAndOutput() {
    ExecResult result =
        node.rpc()
            .unary(
                ExecsGrpcClient.Run,
                RunExecRequest.newBuilder()
                    .setSandboxId(sandbox)
                    .setCommand(Command.newBuilder().addArgv("cat"))
                    .setStdin(ByteString.copyFromUtf8("x".repeat(200_000)))
                    .build());
    assertEquals(0, result.getExitCode());
    assertEquals(200_000, result.getStdout().size());
    assertEquals(0, result.getTruncatedCount());
  }

  @Test
  void shouldCutTheOutputOfRunAtFourMegabytesAndSaySo() {
    ExecResult result =
        node.rpc()
            .unary(
                ExecsGrpcClient.Run,
                RunExecRequest.newBuilder()
                    .setSandboxId(sandbox)
                    .setCommand(Command.newBuilder().addArgv("seq").addArgv("1").addArgv("1000000"))
                    .build());
    assertEquals(4 << 20, result.getStdout().size());
    assertEquals(6_888_896, result.getStdoutBytes());
    assertEquals(2 << 20, result.getTruncated(0).getFrom());
    assertEquals(6_888_896 - (2 << 20), result.getTruncated(0).getTo());
  }

  @Test
  void shouldTakeStdinByOffsetAndDropWhatItHas() {
    Command cat = Command.newBuilder().addArgv("cat").setStdin(true).build();
    Answers<StartExecRequest, ExecEvent> call =
        open(
            StartExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId("stdin")
                .setCommand(cat)
                .build());
    call.next();
    assertEquals(3, write("stdin", 0, "abc", false));
    assertEquals(3, write("stdin", 0, "abc", false));
    assertEquals(5, write("stdin", 2, "cde", false));
    Failed gap = assertThrows(Failed.class, () -> write("stdin", 9, "x", false));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, gap.status());
    assertEquals(5, write("stdin", 5, "", true));
    Failed closed = assertThrows(Failed.class, () -> write("stdin", 5, "x", false));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, closed.status());
    List<ExecEvent> events =
        new ArrayList<>(
            List.of(
                ExecEvent.newBuilder()
                    .setStarted(dev.sandgate.proto.v1.ExecStarted.getDefaultInstance())
                    .build()));
    events.addAll(call.rest());
    assertEquals("abcde", Ran.of(events).stdout());
  }

  private long write(String id, long offset, String data, boolean end) {
    return node.rpc()
        .unary(
            ExecsGrpcClient.WriteStdin,
            WriteStdinRequest.newBuilder()
                .setSandboxId(sandbox)
                .setExecId(id)
                .setChunk(
                    StdinChunk.newBuilder()
                        .setOffset(offset)
                        .setData(ByteString.copyFromUtf8(data))
                        .setEnd(end))
                .build())
        .getAcceptedOffset();
  }

  @Test
  void shouldListNewestFirstPageByPage() {
    String own = node.create().getSandboxId();
    for (int i = 0; i < 5; i++) {
      Ran.of(open(start(own, "e" + i, "true")).rest());
    }
    ListExecsRequest.Builder list = ListExecsRequest.newBuilder().setSandboxId(own).setPageSize(2);
    List<String> seen = new ArrayList<>();
    ListExecsResponse page;
    do {
      page = node.rpc().unary(ExecsGrpcClient.List, list.build());
      page.getExecsList().forEach(exec -> seen.add(exec.getExecId()));
      list.setPageToken(page.getNextPageToken());
    } while (!page.getNextPageToken().isEmpty());
    assertEquals(List.of("e4", "e3", "e2", "e1", "e0"), seen);
  }

  @Test
  void shouldNeverCallALostCommandASuccess() {
    String lost = node.create().getSandboxId();
    String deleted = node.create().getSandboxId();
    var onLost = open(start(lost, "x", "sleep", "30"));
    var onDeleted = open(start(deleted, "x", "sleep", "30"));
    List<ExecEvent> lostEvents = new ArrayList<>(List.of(onLost.next().orElseThrow()));
    List<ExecEvent> deletedEvents = new ArrayList<>(List.of(onDeleted.next().orElseThrow()));
    node.host().kill(lost, Reason.CHANNEL_LOST);
    node.rpc()
        .unary(
            SandboxesGrpcClient.Delete,
            DeleteSandboxRequest.newBuilder().setSandboxId(deleted).build());
    lostEvents.addAll(onLost.rest());
    deletedEvents.addAll(onDeleted.rest());
    assertEquals("SANDBOX_LOST", Ran.of(lostEvents).result().getKillReason());
    assertEquals(ExecOutcome.EXEC_OUTCOME_UNKNOWN, Ran.of(lostEvents).result().getOutcome());
    assertEquals("SANDBOX_DELETED", Ran.of(deletedEvents).result().getKillReason());
    assertTrue(Ran.of(deletedEvents).result().getExitCode() != 0);
    Failed failed = assertThrows(Failed.class, () -> open(start(deleted, "y", "true")).rest());
    assertEquals(GrpcStatus.FAILED_PRECONDITION, failed.status());
  }

  @Test
  void shouldRefuseATerminalThatTheBackendDoesNotHave() {
    Command terminal =
        Command.newBuilder()
            .addArgv("true")
            .setTerminal(TerminalSize.newBuilder().setColumns(80).setRows(24))
            .build();
    Failed failed =
        assertThrows(
            Failed.class,
            () ->
                open(StartExecRequest.newBuilder()
                        .setSandboxId(sandbox)
                        .setCommand(terminal)
                        .build())
                    .rest());
    assertEquals("UNSUPPORTED", failed.detail().getCode());
  }

  @Test
  void shouldAttachWhileTheCommandRuns() {
    open(start(sandbox, "both", "sleep", "1")).next();
    assertEquals(0, attach("both", 0).result().getExitCode());
    Eventually.holds("its result is shown", () -> get("both").hasResult());
  }
}
