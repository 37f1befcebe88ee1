// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.Connection;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A connection to a service that echoes; holds at most 128 KiB. */
final class FakeConnection implements Connection {

  private final FakeSandbox sandbox;
  private final Ring bytes = new Ring(128 << 10);
  private boolean ended;
  private boolean closed;

  FakeConnection(FakeSandbox sandbox) {
    this.sandbox = sandbox;
    sandbox.terminated().subscribe().with(end -> close());
  }

  @Override
  public Multi<ByteBuffer> input() {
    return BlockingStream.of(this::next);
  }

  private synchronized Optional<ByteBuffer> next() throws InterruptedException {
    while (bytes.end() == bytes.start() && !ended && !closed) {
      wait();
    }
    sandbox.checkAlive();
    byte[] data = bytes.copy(bytes.start(), 65_536);
    bytes.forget(bytes.start() + data.length);
    notifyAll();
    return data.length == 0 ? Optional.empty() : Optional.of(ByteBuffer.wrap(data));
  }

  @Override
  public Uni<Void> write(ByteBuffer data, boolean end) {
    ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data).flip();
    return Work.of(
            () -> {
              take(copy.duplicate(), end);
              return end;
            })
        .replaceWithVoid();
  }

  private synchronized void take(ByteBuffer data, boolean end) throws InterruptedException {
    while (data.hasRemaining()) {
      while (bytes.room() == 0 && !closed) {
        wait();
      }
      if (closed || ended) {
        throw new SandgateException(ErrorCode.CONNECT_FAILED, "the connection is closed");
      }
      bytes.add(data);
      notifyAll();
    }
    ended |= end;
    notifyAll();
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
