// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcService;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A command that is run to its end gives its result, or a typed failure. */
final class RunTest extends GatewayTest {

  private void answer(ExecResult result) {
    gateway.on(
        ExecsGrpcService.Run,
        request -> request.handler(message -> request.response().end(result)));
  }

  private void refuse(GrpcStatus status, String text, ErrorDetail detail) {
    gateway.on(
        ExecsGrpcService.Run,
        request ->
            request.handler(message -> FakeGateway.fail(request.response(), status, text, detail)));
  }

  private SandgateClientException failure() {
    return assertThrows(SandgateClientException.class, () -> box().run("true"));
  }

  @Test
  void shouldGiveANonZeroExitAsAResult() {
    answer(
        ExecResult.newBuilder()
            .setOutcome(ExecOutcome.EXEC_OUTCOME_EXITED)
            .setExitCode(7)
            .setStdout(ByteString.copyFromUtf8("hello world\n"))
            .setStderr(ByteString.copyFrom(new byte[] {(byte) 0xff}))
            .build());

    dev.sandgate.client.ExecResult result = box().run("exit 7");

    assertEquals(7, result.exitCode());
    assertFalse(result.ok());
    assertEquals("hello world\n", result.stdoutText());
    assertEquals(1, result.stderr().length);
  }

  @Test
  void shouldNameFieldNumberAndRetryOfAFailure() {
    ErrorDetail detail =
        ErrorDetail.newBuilder()
            .setNumber(201)
            .setCode("RESOURCE_EXHAUSTED")
            .setField("limits.memory_bytes")
            .setRetryAfterMillis(1500)
            .setNodeId("n1")
            .build();
    refuse(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "limits.memory_bytes: 100 % is used, ask for less — naïve",
        detail);

    SandgateClientException failure = failure();

    assertEquals("RESOURCE_EXHAUSTED", failure.code());
    assertEquals(201, failure.number());
    assertEquals("limits.memory_bytes", failure.field());
    assertEquals("n1", failure.nodeId());
    assertEquals(Optional.of(Duration.ofMillis(1500)), failure.retryAfter());
    assertEquals("limits.memory_bytes: 100 % is used, ask for less — naïve", failure.getMessage());
    assertFalse(failure.outcomeUnknown());
  }

  @Test
  void shouldRefuseAnOutcomeThatIsNotKnown() {
    answer(ExecResult.newBuilder().setOutcome(ExecOutcome.EXEC_OUTCOME_UNKNOWN).build());

    assertEquals("UNKNOWN_OUTCOME", failure().code());
  }

  @Test
  void shouldReadTheRecordWhenTheAnswerIsLost() {
    AtomicInteger runs = new AtomicInteger();
    gateway.on(
        ExecsGrpcService.Run,
        request ->
            request.handler(
                message -> {
                  runs.incrementAndGet();
                  gateway.cut();
                }));
    gateway.on(
        ExecsGrpcService.Interact,
        request ->
            request.handler(
                message -> {
                  assertTrue(message.hasAttach());
                  request.response().write(Events.started(0));
                  request.response().write(Events.stdout(0, "out"));
                  request.response().write(Events.stderr(0, "err"));
                  request.response().end(Events.exited(5));
                }));

    dev.sandgate.client.ExecResult result = box().run("x");

    assertEquals(5, result.exitCode());
    assertEquals("out", result.stdoutText());
    assertEquals("err", result.stderrText());
    assertEquals(1, runs.get());
  }

  @Test
  void shouldAskAgainWhenNoNodeHasSeenTheCall() {
    AtomicInteger runs = new AtomicInteger();
    ErrorDetail away =
        ErrorDetail.newBuilder()
            .setNumber(301)
            .setCode("NODE_UNREACHABLE")
            .setNotSent(true)
            .build();
    gateway.on(
        ExecsGrpcService.Run,
        request ->
            request.handler(
                message -> {
                  if (runs.incrementAndGet() < 3) {
                    FakeGateway.fail(request.response(), GrpcStatus.UNAVAILABLE, "away", away);
                  } else {
                    request
                        .response()
                        .end(
                            ExecResult.newBuilder()
                                .setOutcome(ExecOutcome.EXEC_OUTCOME_EXITED)
                                .setExitCode(6)
                                .build());
                  }
                }));

    assertEquals(6, box().run("x").exitCode());
    assertEquals(3, runs.get());
  }

  @Test
  void shouldFailWhenACallEndsWellWithoutAnAnswer() {
    gateway.on(
        ExecsGrpcService.Get, request -> request.endHandler(end -> request.response().end()));

    SandgateClientException failure =
        assertThrows(
            SandgateClientException.class, () -> box().execs().get("e").await().atMost(LIMIT));

    assertTrue(failure.outcomeUnknown());
  }

  @Test
  void shouldFailWhenTheMethodIsUnknown() {
    SandgateClientException failure =
        assertThrows(
            SandgateClientException.class, () -> box().execs().get("e").await().atMost(LIMIT));

    assertEquals("UNIMPLEMENTED", failure.code());
  }

  @Test
  void shouldSayWhatIsWrongWhenTheNodeStaysAway() {
    ErrorDetail detail =
        ErrorDetail.newBuilder()
            .setNumber(301)
            .setCode("NODE_UNREACHABLE")
            .setNotSent(true)
            .build();
    refuse(GrpcStatus.UNAVAILABLE, "node a cannot be reached", detail);

    try (Sandgate impatient = gateway.client(Duration.ofMillis(200))) {
      SandboxHandle box = impatient.sandboxes().handle("sb-a-1");
      SandgateClientException failure =
          assertThrows(SandgateClientException.class, () -> box.run("true"));
      assertEquals("NODE_UNREACHABLE", failure.code());
      assertFalse(failure.requestSent());
    }
  }
}
