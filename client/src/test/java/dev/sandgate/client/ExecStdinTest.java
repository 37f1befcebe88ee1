// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.StdinChunk;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What is written to stdin arrives once, in order, across lost connections. */
final class ExecStdinTest extends GatewayTest {

  private final List<StdinChunk> chunks = new CopyOnWriteArrayList<>();

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private ExecHandle start() {
    return box().execs().start(Execs.program("cat").setStdin(true).build()).await().atMost(LIMIT);
  }

  private static AssertSubscriber<ExecEvent> read(ExecHandle exec) {
    return exec.events().subscribe().withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));
  }

  @Test
  void shouldCompleteAWriteWhenTheNodeTookIt() {
    gateway.on(
        ExecsGrpcService.Interact,
        request ->
            request.handler(
                message -> {
                  if (message.hasStart()) {
                    request.response().write(Events.started(0));
                  } else {
                    StdinChunk chunk = message.getStdin();
                    chunks.add(chunk);
                    long end = chunk.getOffset() + chunk.getData().size();
                    request.response().write(Events.accepted(end, chunk.getEnd()));
                    if (chunk.getEnd()) {
                      request.response().end(Events.exited(0));
                    }
                  }
                }));
    ExecHandle exec = start();
    AssertSubscriber<ExecEvent> events = read(exec);

    exec.write(bytes("hello ")).await().atMost(LIMIT);
    exec.write(ByteBuffer.allocate(150_000)).await().atMost(LIMIT);
    exec.closeStdin().await().atMost(LIMIT);

    events.awaitCompletion(LIMIT);
    assertEquals(
        List.of(0L, 6L, 65_542L, 131_078L, 150_006L),
        chunks.stream().map(StdinChunk::getOffset).toList());
  }

  @Test
  void shouldSendAgainWhatTheNodeDidNotTakeWhenTheConnectionIsCut() {
    gateway.on(
        ExecsGrpcService.Interact,
        request ->
            request.handler(
                message -> {
                  if (message.hasStart()) {
                    request.response().write(Events.started(0));
                  } else if (message.hasAttach()) {
                    request.response().write(Events.started(3));
                  } else if (chunks.isEmpty()) {
                    chunks.add(message.getStdin());
                    gateway.cut();
                  } else {
                    chunks.add(message.getStdin());
                    request.response().write(Events.accepted(6, false));
                    request.response().end(Events.exited(0));
                  }
                }));
    ExecHandle exec = start();
    AssertSubscriber<ExecEvent> events = read(exec);

    exec.write(bytes("abcdef")).await().atMost(LIMIT);

    events.awaitCompletion(LIMIT);
    assertEquals(2, chunks.size());
    assertEquals(0, chunks.getLast().getOffset());
    assertEquals("abcdef", chunks.getLast().getData().toStringUtf8());
  }

  @Test
  void shouldFailAWriteWhenTheCommandClosedItsStdin() {
    gateway.on(
        ExecsGrpcService.Interact,
        request ->
            request.handler(
                message ->
                    request
                        .response()
                        .write(message.hasStart() ? Events.started(0) : Events.accepted(2, true))));
    ExecHandle exec = start();
    read(exec);

    SandgateClientException failure =
        assertThrows(
            SandgateClientException.class, () -> exec.write(bytes("abcdef")).await().atMost(LIMIT));

    assertEquals("FAILED_PRECONDITION", failure.code());
    assertThrows(
        SandgateClientException.class, () -> exec.write(bytes("more")).await().atMost(LIMIT));
    exec.detach();
  }
}
