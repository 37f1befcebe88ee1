// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecEvent.EventCase;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.SignalTarget;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.proto.v1.TerminalSize;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Stdin, signals and output on one stream. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InteractTest {

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

  private Answers<InteractRequest, ExecEvent> open(String id, String... argv) {
    Answers<InteractRequest, ExecEvent> call = node.rpc().open(ExecsGrpcClient.Interact, 0);
    call.send(
        InteractRequest.newBuilder()
            .setSandboxId(sandbox)
            .setStart(
                StartExecRequest.newBuilder()
                    .setExecId(id)
                    .setCommand(Command.newBuilder().addAllArgv(List.of(argv)).setStdin(true)))
            .build());
    return call;
  }

  private static InteractRequest stdin(long offset, String data, boolean end) {
    return InteractRequest.newBuilder()
        .setStdin(
            StdinChunk.newBuilder()
                .setOffset(offset)
                .setData(ByteString.copyFromUtf8(data))
                .setEnd(end))
        .build();
  }

  private static InteractRequest signal(int number, SignalTarget target) {
    return InteractRequest.newBuilder()
        .setSignal(Signal.newBuilder().setNumber(number).setTarget(target))
        .build();
  }

  private static ExecResult exit(List<ExecEvent> events) {
    return events.getLast().getExited();
  }

  private static String output(List<ExecEvent> events) {
    StringBuilder all = new StringBuilder();
    events.stream()
        .filter(ExecEvent::hasOutput)
        .forEach(event -> all.append(event.getOutput().getData().toStringUtf8()));
    return all.toString();
  }

  @Test
  void shouldFeedTheCommandAndAcknowledgeWhatItTook() {
    Answers<InteractRequest, ExecEvent> call = open("fed", "cat");
    assertEquals(EventCase.STARTED, call.next().orElseThrow().getEventCase());
    call.send(stdin(0, "abc", false));
    call.send(stdin(3, "def", true));
    List<ExecEvent> events = call.rest();
    assertEquals("abcdef", output(events));
    assertEquals(0, exit(events).getExitCode());
    long acknowledged =
        events.stream()
            .filter(ExecEvent::hasStdinAccepted)
            .mapToLong(event -> event.getStdinAccepted().getOffset())
            .max()
            .orElse(0);
    assertEquals(6, acknowledged);
  }

  @Test
  void shouldLetASignalOvertakeStdinThatNobodyReads() {
    Answers<InteractRequest, ExecEvent> call = open("deaf", "sleep", "30");
    call.next();
    for (int i = 0; i < 6; i++) {
      call.send(stdin(i * 60_000L, "x".repeat(60_000), false));
    }
    call.send(signal(9, SignalTarget.SIGNAL_TARGET_TREE));
    List<ExecEvent> events = call.rest();
    assertEquals(9, exit(events).getSignal());
    assertEquals("CALLER", exit(events).getKillReason());
  }

  @Test
  void shouldGoOnWithAnotherStreamFromTheLastOffset() {
    Answers<InteractRequest, ExecEvent> first = open("moved", "cat");
    first.next();
    first.send(stdin(0, "one ", false));
    List<ExecEvent> seen = new ArrayList<>();
    while (!output(seen).equals("one ")) {
      seen.add(first.next().orElseThrow());
    }
    first.cancel();
    Answers<InteractRequest, ExecEvent> second = node.rpc().open(ExecsGrpcClient.Interact, 0);
    second.send(
        InteractRequest.newBuilder()
            .setSandboxId(sandbox)
            .setAttach(AttachExecRequest.newBuilder().setExecId("moved").setStdoutOffset(4))
            .build());
    ExecEvent started = second.next().orElseThrow();
    assertEquals(4, started.getStarted().getStdinOffset());
    second.send(stdin(0, "one two", true));
    assertEquals("two", output(second.rest()));
  }

  @Test
  void shouldTellThatTheCommandClosedItsStdin() {
    Answers<InteractRequest, ExecEvent> call = open("closed", "head", "-c", "1");
    call.next();
    call.send(stdin(0, "x".repeat(1_000), false));
    List<ExecEvent> events = call.rest();
    assertEquals("x", output(events));
    assertEquals(0, exit(events).getExitCode());
  }

  @Test
  void shouldRefuseWhatIsOutOfTurn() {
    Answers<InteractRequest, ExecEvent> early = node.rpc().open(ExecsGrpcClient.Interact, 0);
    early.send(stdin(0, "x", false));
    Failed first = assertThrows(Failed.class, early::rest);
    assertEquals("message", first.detail().getField());

    Answers<InteractRequest, ExecEvent> twice = open("twice", "sleep", "30");
    twice.next();
    twice.send(
        InteractRequest.newBuilder()
            .setStart(StartExecRequest.newBuilder().setExecId("other"))
            .build());
    assertEquals(GrpcStatus.INVALID_ARGUMENT, assertThrows(Failed.class, twice::rest).status());

    Answers<InteractRequest, ExecEvent> gap = open("gap", "cat");
    gap.next();
    gap.send(stdin(10, "x", false));
    assertEquals(GrpcStatus.FAILED_PRECONDITION, assertThrows(Failed.class, gap::rest).status());

    Answers<InteractRequest, ExecEvent> size = open("size", "sleep", "30");
    size.next();
    size.send(
        InteractRequest.newBuilder()
            .setResize(TerminalSize.newBuilder().setColumns(0).setRows(24))
            .build());
    Failed resized = assertThrows(Failed.class, size::rest);
    assertEquals("size.columns", resized.detail().getField());
    assertTrue(String.valueOf(resized.getMessage()).contains("1 … 65,535"));
  }
}
