// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each fault is felt by both ends, and only as long as it is to last. */
class FaultyProxyTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int SILENCE_MILLIS = 300;

  private final ServerSocket upstream = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
  private FaultyProxy proxy;
  private Socket near;
  private Socket far;

  FaultyProxyTest() throws IOException {}

  @BeforeEach
  void connect() throws IOException {
    proxy = FaultyProxy.before(upstream.getLocalPort());
    near = dialled();
    far = upstream.accept();
    far.setSoTimeout(PATIENCE_MILLIS);
    awaitOpen(1);
  }

  private Socket dialled() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  @AfterEach
  void close() throws IOException {
    near.close();
    far.close();
    proxy.close();
    upstream.close();
  }

  private static void pass(Socket from, Socket to, int count) throws IOException {
    byte[] sent = new byte[count];
    for (int i = 0; i < count; i++) {
      sent[i] = (byte) (i * 31);
    }
    from.getOutputStream().write(sent);
    assertArrayEquals(sent, to.getInputStream().readNBytes(count));
  }

  private static void assertSilent(Socket socket) throws IOException {
    socket.setSoTimeout(SILENCE_MILLIS);
    assertThrows(SocketTimeoutException.class, () -> socket.getInputStream().read());
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  private static void assertReset(Socket socket) {
    assertThrows(IOException.class, () -> assertEquals(0, socket.getInputStream().read()));
  }

  @Test
  void shouldPassBytesUnchangedAndTellOfEnds() throws IOException {
    pass(near, far, 100_000);
    pass(far, near, 100_000);
    near.shutdownOutput();
    assertEquals(-1, far.getInputStream().read());
    pass(far, near, 10);
    far.close();
    assertEquals(-1, near.getInputStream().read());
    assertEquals(1, proxy.accepted());
    awaitOpen(0);
  }

  private void awaitOpen(int wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (proxy.open() != wanted && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    assertEquals(wanted, proxy.open());
  }

  @Test
  void shouldResetBothEndsAtOnce() {
    assertEquals(1, proxy.cut(_ -> true, Way.BOTH, 0));
    assertReset(near);
    assertReset(far);
  }

  @Test
  void shouldResetInTheMiddleOfWhatIsSent() throws IOException {
    proxy.cut(_ -> true, Way.UP, 7);
    near.getOutputStream().write(new byte[100]);
    assertTrue(readUntilBroken(far) <= 7);
    assertReset(near);
  }

  private static int readUntilBroken(Socket socket) {
    int count = 0;
    try {
      while (socket.getInputStream().read() >= 0) {
        count++;
      }
    } catch (IOException reset) {
      return count;
    }
    throw new AssertionError("it ended in order");
  }

  @Test
  void shouldEndBothInOrder() throws IOException {
    proxy.finish(_ -> true);
    assertEquals(-1, near.getInputStream().read());
    assertEquals(-1, far.getInputStream().read());
  }

  @Test
  void shouldSwallowBothWaysAndTellNobody() throws IOException {
    proxy.swallow(_ -> true, Way.BOTH);
    near.getOutputStream().write(new byte[100]);
    far.getOutputStream().write(new byte[100]);
    assertSilent(far);
    assertSilent(near);
    near.close();
    assertSilent(far);
    try (Socket other = dialled();
        Socket accepted = upstream.accept()) {
      pass(other, accepted, 100);
    }
  }

  @Test
  void shouldSwallowOneWayOnly() throws IOException {
    proxy.swallow(_ -> true, Way.UP);
    near.getOutputStream().write(new byte[100]);
    assertSilent(far);
    pass(far, near, 1_000);
  }

  @Test
  void shouldSpareWhomItIsToldToSpare() throws IOException {
    assertEquals(0, proxy.cut(index -> index > 0, Way.BOTH, 0));
    pass(near, far, 100);
  }

  @Test
  void shouldHoldEverythingForAWhileAndLoseNothing() throws IOException {
    proxy.shape(Shape.standing(), LONG);
    near.getOutputStream().write(new byte[] {1, 2, 3});
    assertSilent(far);
    proxy.clear();
    assertArrayEquals(new byte[] {1, 2, 3}, far.getInputStream().readNBytes(3));
  }

  @Test
  void shouldHoldBackAndSlowDown() throws IOException {
    long begun = System.nanoTime();
    proxy.shape(Shape.delayed(200), LONG);
    pass(near, far, 10);
    proxy.shape(Shape.throttled(50_000), LONG);
    pass(far, near, 10_000);
    assertTrue(System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(390));
  }

  @Test
  void shouldCutIntoPiecesWithoutChangingThem() throws IOException {
    proxy.shape(Shape.inPieces(7), LONG);
    pass(near, far, 5_000);
    pass(far, near, 5_000);
  }

  @Test
  void shouldRefuseNewConnectionsAndKeepOldOnes() throws IOException {
    proxy.shape(Shape.closed(), LONG);
    try (Socket refused = dialled()) {
      assertThrows(IOException.class, () -> assertEquals(0, refused.getInputStream().read()));
    }
    pass(near, far, 100);
  }

  @Test
  void shouldResetWhomItCannotConnect() throws IOException {
    upstream.close();
    try (Socket refused = dialled()) {
      assertThrows(IOException.class, () -> assertEquals(0, refused.getInputStream().read()));
    }
  }

  @Test
  void shouldForgetAShapeWhenItsTimeIsOver() throws IOException {
    proxy.shape(Shape.standing(), Duration.ofMillis(50));
    pass(near, far, 100);
  }
}
