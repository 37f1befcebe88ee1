// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A caller that says nothing any more is given up; one that answers pings is not. */
class KeepAliveTest {

  private static final Duration SILENCE = Duration.ofMillis(1_500);
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII);

  private final Vertx vertx = Vertx.vertx();
  private int port;

  @BeforeEach
  void listen() {
    HttpServer server =
        vertx
            .createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(true))
            .connectionHandler(connection -> KeepAlive.watch(connection, SILENCE))
            .requestHandler(request -> request.response().end());
    port = await(server.listen(0, "127.0.0.1")).actualPort();
  }

  @AfterEach
  void close() {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Test
  void shouldGiveUpACallerThatFellSilent() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(PREFACE);
      InputStream in = socket.getInputStream();
      int last = in.read();
      while (last >= 0) {
        last = in.read();
      }
      assertEquals(-1, last);
    }
  }

  @Test
  void shouldKeepACallerThatAnswersPings() throws InterruptedException {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    CountDownLatch pings = new CountDownLatch(2);
    HttpClientRequest request =
        await(
            vertx
                .createHttpClient(
                    new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false))
                .request(HttpMethod.GET, port, "127.0.0.1", "/"));
    request
        .connection()
        .closeHandler(gone -> closed.complete(null))
        .pingHandler(ping -> pings.countDown());
    assertTrue(pings.await(20, TimeUnit.SECONDS), "it is not pinged");
    assertFalse(closed.isDone());
  }
}
