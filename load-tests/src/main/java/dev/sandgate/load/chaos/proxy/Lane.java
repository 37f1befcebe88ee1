// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** One direction of a connection, carried by a thread of its own. */
final class Lane {

  private static final int BUFFER_BYTES = 16 << 10;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int THROTTLED_BYTES = 1 << 10;
  private static final long FOR_EVER = Long.MAX_VALUE;

  private final Socket from;
  private final Socket to;
  private final Supplier<Shape> shape;
  private final AtomicLong allowed = new AtomicLong(FOR_EVER);
  private volatile boolean swallowing;

  Lane(Socket from, Socket to, Supplier<Shape> shape) {
    this.from = from;
    this.to = to;
    this.shape = shape;
  }

  /** From now on what comes is dropped, and nobody is told. */
  void swallow() {
    swallowing = true;
  }

  boolean swallows() {
    return swallowing;
  }

  /** Passes so many more bytes and no more. */
  void allow(long bytes) {
    allowed.set(bytes);
  }

  /** How a lane ended. */
  enum End {
    /** Its source has nothing more. */
    SOURCE_ENDED,
    /** What it was allowed to pass has passed. */
    USED_UP
  }

  /** Carries until an end; fails when a side breaks. */
  End run() throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    while (true) {
      awaitMoving();
      int count = in.read(buffer);
      if (count < 0) {
        return End.SOURCE_ENDED;
      }
      awaitMoving();
      if (!swallowing && !pass(out, buffer, count)) {
        return End.USED_UP;
      }
    }
  }

  private void awaitMoving() {
    while (shape.get().stalled() && !from.isClosed()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private boolean pass(OutputStream out, byte[] bytes, int count) throws IOException {
    Shape now = shape.get();
    if (now.delayMillis() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(now.delayMillis()));
    }
    int most = (int) Math.min(count, allowed.get());
    int done = 0;
    while (done < most) {
      int piece = Math.min(piece(now), most - done);
      slow(now, piece);
      out.write(bytes, done, piece);
      done += piece;
    }
    return allowed.updateAndGet(left -> left == FOR_EVER ? left : Math.max(0, left - most)) > 0;
  }

  private static int piece(Shape shape) {
    if (shape.pieceBytes() > 0) {
      return shape.pieceBytes();
    }
    return shape.bytesPerSecond() > 0 ? THROTTLED_BYTES : BUFFER_BYTES;
  }

  private static void slow(Shape shape, int bytes) {
    if (shape.bytesPerSecond() > 0) {
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1) * bytes / shape.bytesPerSecond());
    }
  }
}
