// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.client.rpc.RpcCall;
import dev.sandgate.client.rpc.RpcChannel;
import dev.sandgate.client.rpc.RpcFailure;
import dev.sandgate.client.rpc.RpcObserver;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecStarted;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ExecsGrpcService;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.GrpcStatus;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gateway that says nothing any more on a connection that stays open is given up; one that answers pings is not. */
final class SilenceTest {

  private static final Duration SILENCE = Duration.ofSeconds(1);

  private final FakeGateway gateway = new FakeGateway();
  private final Vertx vertx = Vertx.vertx();
  private RpcChannel channel;

  @BeforeEach
  void open() {
    channel = RpcChannel.open(vertx, URI.create(gateway.uri()), "sgk_test", 1, SILENCE);
    gateway.on(
        ExecsGrpcService.Attach,
        request ->
            request.handler(
                message ->
                    request
                        .response()
                        .write(
                            ExecEvent.newBuilder()
                                .setStarted(ExecStarted.getDefaultInstance())
                                .build())));
  }

  @AfterEach
  void close() {
    channel.close().toCompletionStage().toCompletableFuture().join();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    gateway.close();
  }

  /** Notes the first answer and the end. */
  private static final class Ear implements RpcObserver<ExecEvent> {
    private final CompletableFuture<ExecEvent> heard = new CompletableFuture<>();
    private final CompletableFuture<RpcFailure> ended = new CompletableFuture<>();

    @Override
    public void message(ExecEvent message) {
      heard.complete(message);
    }

    @Override
    public void end(@Nullable RpcFailure failure) {
      ended.complete(failure);
    }
  }

  private Ear attached() throws Exception {
    Ear ear = new Ear();
    RpcCall<AttachExecRequest, ExecEvent> call = channel.lane().call(ExecsGrpcClient.Attach, ear);
    call.fetch(Long.MAX_VALUE);
    call.end(AttachExecRequest.getDefaultInstance());
    ear.heard.get(20, TimeUnit.SECONDS);
    return ear;
  }

  @Test
  void shouldGiveUpAConnectionOnWhichTheGatewayFellSilent() throws Exception {
    Ear ear = attached();
    gateway.fallSilent();
    RpcFailure failure = ear.ended.get(20, TimeUnit.SECONDS);
    assertEquals(GrpcStatus.UNAVAILABLE, failure.status());
    assertTrue(failure.sent(), "it may have arrived");
  }

  @Test
  void shouldKeepAConnectionOnWhichTheGatewayAnswersPings() throws Exception {
    Ear ear = attached();
    assertThrows(
        TimeoutException.class, () -> ear.ended.get(SILENCE.toMillis() * 4, TimeUnit.MILLISECONDS));
  }

  @Test
  void shouldGiveUpAGatewayThatTakesConnectionsAndSaysNothing() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      URI uri = URI.create("http://127.0.0.1:" + mute.getLocalPort());
      RpcChannel silent = RpcChannel.open(vertx, uri, "sgk_test", 1, SILENCE);
      mute.setSoTimeout(20_000);
      for (int i = 0; i < 2; i++) {
        Ear ear = new Ear();
        silent.lane().call(ExecsGrpcClient.Attach, ear).end(AttachExecRequest.getDefaultInstance());
        try (Socket accepted = mute.accept()) {
          RpcFailure failure = ear.ended.get(20, TimeUnit.SECONDS);
          assertEquals(GrpcStatus.UNAVAILABLE, failure.status(), () -> accepted + ": " + failure);
          assertFalse(failure.sent(), "nothing can have arrived");
        }
      }
      silent.close().toCompletionStage().toCompletableFuture().join();
    }
  }
}
