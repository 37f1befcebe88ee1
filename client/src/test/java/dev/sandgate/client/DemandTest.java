// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecsGrpcService;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.OutputStream;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A reader's demand reaches the sender as flow control; other readers do not feel it. */
final class DemandTest extends GatewayTest {

  private static final int CHUNK = 64 * 1024;
  private static final int CHUNKS = 1_600;

  private final AtomicLong sent = new AtomicLong();
  private final CompletableFuture<Void> blocked = new CompletableFuture<>();

  private void flood(GrpcServerResponse<InteractRequest, ExecEvent> response) {
    while (!response.writeQueueFull() && sent.get() < CHUNKS) {
      long offset = sent.getAndIncrement() * CHUNK;
      ByteString data = ByteString.copyFrom(new byte[CHUNK]);
      response.write(Events.output(OutputStream.OUTPUT_STREAM_STDOUT, offset, data));
    }
    if (sent.get() < CHUNKS) {
      response.drainHandler(drained -> flood(response));
      blocked.complete(null);
    } else {
      response.end(Events.exited(0));
    }
  }

  private void serve() {
    gateway.on(
        ExecsGrpcService.Interact,
        request ->
            request.handler(
                message -> {
                  request.response().write(Events.started(0));
                  if (message.getStart().getCommand().getShell().equals("flood")) {
                    flood(request.response());
                  } else {
                    request.response().end(Events.exited(0));
                  }
                }));
  }

  @Test
  void shouldHoldTheSenderBackWhileNobodyReads() throws Exception {
    serve();
    ExecHandle exec = box().execs().start(Execs.shell("flood").build()).await().atMost(LIMIT);
    AssertSubscriber<dev.sandgate.client.ExecEvent> reader =
        exec.events().subscribe().withSubscriber(AssertSubscriber.create(3));
    blocked.get(10, TimeUnit.SECONDS);
    reader.awaitItems(3, LIMIT);

    for (int i = 0; i < 64; i++) {
      box().execs().stream(Execs.shell("true").build()).collect().last().await().atMost(LIMIT);
    }

    assertEquals(3, reader.getItems().size());
    assertTrue(sent.get() < CHUNKS / 4, () -> "sent " + sent.get() + " chunks to a reader of 3");
    reader.request(Long.MAX_VALUE);
    reader.awaitCompletion(LIMIT);
    assertEquals(CHUNKS + 2, reader.getItems().size());
  }
}
