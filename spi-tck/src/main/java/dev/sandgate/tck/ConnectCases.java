// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Connection;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Sandbox;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** TCP connections to a port inside, when {@link Capability#CONNECT} is declared. */
interface ConnectCases {

  Fixture fixture();

  private Running server(Sandbox sandbox, int port) {
    fixture().assumeHas(Capability.CONNECT);
    List<String> argv = fixture().subject().tools().echoServer(port);
    assumeFalse(argv.isEmpty(), "the environment has no TCP server");
    return Fixture.start(sandbox, Command.of(argv));
  }

  /** Connects, again while the server is starting. */
  private static Connection connected(Sandbox sandbox, int port) {
    Uni<Connection> patient =
        sandbox
            .connect(port)
            .onFailure(ConnectCases::refused)
            .retry()
            .withBackOff(java.time.Duration.ofMillis(10), java.time.Duration.ofMillis(50))
            .expireIn(10_000);
    return Waiting.on(patient);
  }

  private static boolean refused(Throwable failure) {
    return Waiting.codeOf(failure) == ErrorCode.CONNECT_FAILED;
  }

  @Test
  default void shouldCarryBytesBothWaysUnchanged() {
    Sandbox sandbox = fixture().shared();
    Running server = server(sandbox, 7101);
    byte[] data = new byte[2 << 20];
    new Random(9).nextBytes(data);
    Connection connection = connected(sandbox, 7101);
    CompletableFuture<Capture> echo =
        CompletableFuture.supplyAsync(() -> FileBytes.all(connection.input()));
    for (int offset = 0; offset < data.length; offset += InputCases.CHUNK) {
      boolean last = offset + InputCases.CHUNK >= data.length;
      ByteBuffer chunk = ByteBuffer.wrap(data, offset, InputCases.CHUNK);
      Waiting.on(connection.write(chunk, last));
    }
    Capture back = Waiting.on(echo);
    assertEquals(data.length, back.count());
    assertEquals(Capture.sha256Hex(data), back.sha256Hex());
    connection.close();
    connection.close();
    server.kill();
  }

  @Test
  default void shouldRefuseAPortNobodyListensOn() {
    fixture().assumeHas(Capability.CONNECT);
    assertEquals(ErrorCode.CONNECT_FAILED, Waiting.codeOf(fixture().shared().connect(7102)));
  }

  @Test
  default void shouldEndWithTheServer() {
    Sandbox sandbox = fixture().shared();
    Running server = server(sandbox, 7103);
    Connection connection = connected(sandbox, 7103);
    CompletableFuture<Void> ended =
        connection
            .input()
            .onFailure()
            .recoverWithCompletion()
            .collect()
            .last()
            .replaceWithVoid()
            .subscribeAsCompletionStage();
    assertFalse(ended.isDone());
    server.kill();
    Waiting.on(ended);
    connection.close();
  }

  @Test
  default void shouldEndWithTheSandbox() {
    Sandbox sandbox = fixture().fresh();
    server(sandbox, 7104);
    Connection connection = connected(sandbox, 7104);
    CompletableFuture<ByteBuffer> ended =
        connection.input().collect().last().subscribeAsCompletionStage();
    Waiting.on(sandbox.destroy());
    Eventually.holds("the connection ends", ended::isDone);
    connection.close();
  }

  @Test
  default void shouldNotReachThePortOfAnotherSandbox() {
    Running server = server(fixture().shared(), 7105);
    Connection open = connected(fixture().shared(), 7105);
    assertEquals(ErrorCode.CONNECT_FAILED, Waiting.codeOf(fixture().fresh().connect(7105)));
    open.close();
    server.kill();
  }
}
