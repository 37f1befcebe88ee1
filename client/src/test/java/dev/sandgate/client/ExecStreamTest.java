// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.InteractRequest;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stream of events ends with the command's exit or fails, whatever happens to the connection. */
final class ExecStreamTest {

  private final List<AttachExecRequest> attaches = new CopyOnWriteArrayList<>();
  private final AtomicInteger starts = new AtomicInteger();
  private FakeGateway gateway;

  private interface Reply
      extends BiConsumer<
          GrpcServerResponse<InteractRequest, dev.sandgate.proto.v1.ExecEvent>, Integer> {}

  @BeforeEach
  void start() {
    gateway = new FakeGateway();
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private void serve(Reply onStart, Reply onAttach) {
    gateway.on(
        ExecsGrpcService.Interact,
        request ->
            request.handler(
                message -> {
                  if (message.hasStart()) {
                    onStart.accept(request.response(), starts.incrementAndGet());
                  } else if (message.hasAttach()) {
                    attaches.add(message.getAttach());
                    onAttach.accept(request.response(), attaches.size());
                  }
                }));
  }

  private String stdout(Duration reconnect) {
    try (Sandgate sandgate = gateway.client(reconnect)) {
      StringBuilder text = new StringBuilder();
      List<ExecEvent> events =
          sandgate.sandboxes().handle("sb-a-1").execs().stream(Execs.program("x").build())
              .onItem()
              .invoke(event -> append(text, event))
              .collect()
              .asList()
              .await()
              .atMost(Duration.ofSeconds(30));
      assertInstanceOf(ExecEvent.Started.class, events.getFirst());
      assertInstanceOf(ExecEvent.Exited.class, events.getLast());
      return text.toString();
    }
  }

  private static void append(StringBuilder text, ExecEvent event) {
    if (event instanceof ExecEvent.Output output) {
      text.append(StandardCharsets.UTF_8.decode(output.data()));
    }
  }

  private SandgateClientException failure(Duration reconnect) {
    return assertThrows(SandgateClientException.class, () -> stdout(reconnect));
  }

  @Test
  void shouldStreamOutputThenExit() {
    serve(
        (response, n) -> {
          response.write(Events.started(0));
          response.write(Events.stdout(0, "hello "));
          response.write(Events.stderr(0, "world"));
          response.end(Events.exited(0));
        },
        (response, n) -> {});

    assertEquals("hello world", stdout(Duration.ZERO));
  }

  @Test
  void shouldAttachAtTheLastOffsetWhenTheConnectionIsCut() {
    serve(
        (response, n) -> {
          response.write(Events.started(0));
          response.write(Events.stdout(0, "hello "));
          response.write(Events.stderr(0, "!")).onSuccess(sent -> gateway.cut());
        },
        (response, n) -> {
          response.write(Events.started(0));
          response.write(Events.stdout(attaches.getFirst().getStdoutOffset(), "world"));
          response.end(Events.exited(3));
        });

    String text = stdout(Duration.ofSeconds(20));

    assertEquals(1, starts.get());
    assertEquals(1, attaches.size());
    long seen = attaches.getFirst().getStdoutOffset();
    assertEquals(seen == 6 ? "hello world" : "world", text.replace("!", ""));
  }

  @Test
  void shouldCutOffBytesThatWereSeenBefore() {
    serve(
        (response, n) -> {
          response.write(Events.started(0));
          response.write(Events.stdout(0, "abc"));
          response.status(GrpcStatus.UNAVAILABLE);
          response.end();
        },
        (response, n) -> {
          response.write(Events.started(0));
          response.write(Events.stdout(0, "abcdef"));
          response.end(Events.exited(0));
        });

    assertEquals("abcdef", stdout(Duration.ofSeconds(20)));
    assertEquals(3, attaches.getFirst().getStdoutOffset());
  }

  @Test
  void shouldFailWhenTheStreamEndsWellButWithoutExit() {
    serve(
        (response, n) -> {
          response.write(Events.started(0));
          response.end(Events.stdout(0, "abc"));
        },
        (response, n) -> {});

    SandgateClientException failure = failure(Duration.ZERO);

    assertEquals("UNKNOWN_OUTCOME", failure.code());
    assertEquals(402, failure.number());
    assertTrue(failure.getMessage().contains("stdout=3"), failure.getMessage());
    assertEquals(1, starts.get());
  }

  @Test
  void shouldFailWhenTheNodeDoesNotKnowTheOutcome() {
    serve(
        (response, n) -> {
          response.write(Events.started(0));
          response.end(Events.exited(ExecOutcome.EXEC_OUTCOME_UNKNOWN, 0));
        },
        (response, n) -> {});

    assertEquals("UNKNOWN_OUTCOME", failure(Duration.ZERO).code());
  }

  @Test
  void shouldNeverStartAgainWhenTheNodeDoesNotKnowTheCommand() {
    serve(
        (response, n) -> gateway.cut(),
        (response, n) ->
            FakeGateway.fail(
                response,
                GrpcStatus.NOT_FOUND,
                "no such exec",
                ErrorDetail.newBuilder().setNumber(102).setCode("NOT_FOUND").build()));

    SandgateClientException failure = failure(Duration.ofSeconds(20));

    assertEquals("UNKNOWN_OUTCOME", failure.code());
    assertTrue(failure.outcomeUnknown());
    assertEquals(1, starts.get());
  }

  @Test
  void shouldKeepTheConnectionOnWhichManyStreamsAreReset() {
    AtomicReference<GrpcServerResponse<InteractRequest, dev.sandgate.proto.v1.ExecEvent>> first =
        new AtomicReference<>();
    serve(
        (response, n) -> {
          if (n == 1) {
            first.set(response);
            response.write(Events.started(0));
          } else {
            response.cancel();
          }
        },
        (response, n) -> {});
    ClientOptions options = ClientOptions.of(gateway.uri(), "k").withConnections(1);

    try (Sandgate sandgate = Sandgate.connect(options.withReconnectTimeout(Duration.ZERO))) {
      Execs execs = sandgate.sandboxes().handle("sb-a-1").execs();
      ExecHandle lasting = execs.start(Execs.program("x").build()).await().indefinitely();
      for (int i = 0; i < 500; i++) {
        assertThrows(
            SandgateClientException.class,
            () -> execs.start(Execs.program("y").build()).await().indefinitely());
      }
      first.get().end(Events.exited(4));

      assertEquals(4, lasting.result().await().indefinitely().exitCode());
    }
  }

  @Test
  void shouldKeepTheConnectionWhenItLeavesAStreamOnWhichMuchIsOnItsWay() {
    List<GrpcServerResponse<InteractRequest, dev.sandgate.proto.v1.ExecEvent>> streams =
        new CopyOnWriteArrayList<>();
    serve(
        (response, n) -> {
          streams.add(response);
          response.write(Events.started(0));
        },
        (response, n) -> {});
    ClientOptions options = ClientOptions.of(gateway.uri(), "k").withConnections(1);

    try (Sandgate sandgate = Sandgate.connect(options.withReconnectTimeout(Duration.ZERO))) {
      Execs execs = sandgate.sandboxes().handle("sb-a-1").execs();
      ExecHandle lasting = execs.start(Execs.program("x").build()).await().indefinitely();
      CompletableFuture<ExecEvent> begun = new CompletableFuture<>();
      Cancellable leaving =
          execs.stream(Execs.program("y").build()).subscribe().with(begun::complete);
      begun.join();
      gateway.fallSilent();
      leaving.cancel();
      for (int i = 0; i < 500; i++) {
        streams.get(1).write(Events.stdout(i, "x"));
      }
      gateway.hearAgain();
      streams.getFirst().end(Events.exited(4));

      assertEquals(4, lasting.result().await().atMost(Duration.ofSeconds(30)).exitCode());
    }
  }

  @Test
  void shouldStartAgainWhatNoNodeHasSeen() {
    ErrorDetail away =
        ErrorDetail.newBuilder()
            .setNumber(301)
            .setCode("NODE_UNREACHABLE")
            .setNotSent(true)
            .build();
    serve(
        (response, n) -> {
          if (n < 4) {
            FakeGateway.fail(response, GrpcStatus.UNAVAILABLE, "away", away);
          } else {
            response.write(Events.started(0));
            response.write(Events.stdout(0, "here"));
            response.end(Events.exited(0));
          }
        },
        (response, n) -> {});

    assertEquals("here", stdout(Duration.ofSeconds(20)));
    assertEquals(4, starts.get());
    assertEquals(0, attaches.size());
  }

  @Test
  void shouldGiveUpWhenTheGatewayStaysAway() {
    serve(
        (response, n) -> {
          gateway.refuse();
          response.write(Events.started(0)).onSuccess(sent -> gateway.cut());
        },
        (response, n) -> {});

    assertEquals("UNKNOWN_OUTCOME", failure(Duration.ofMillis(500)).code());
    assertEquals(0, attaches.size());
  }

  @Test
  void shouldSayThatNothingLeftWhenNobodyListens() {
    String uri = gateway.uri();
    gateway.close();
    try (Sandgate sandgate = Sandgate.connect(uri, "k")) {
      SandgateClientException failure =
          assertThrows(
              SandgateClientException.class,
              () -> sandgate.sandboxes().handle("sb-a-1").run("true"));

      assertEquals("UNAVAILABLE", failure.code());
      assertTrue(failure.unreachable());
      assertFalse(failure.requestSent());
      assertFalse(failure.outcomeUnknown());
    }
  }
}
