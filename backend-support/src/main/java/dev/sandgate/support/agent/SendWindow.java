// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The outgoing stream of an exchange: one write at a time, sent as far as the guest's window lets it, resumable by
 * offset. Event loop only.
 */
final class SendWindow {

  /** Who waits for a write. */
  interface Completion {
    /** All bytes were sent; the stream is at this position. */
    void sent(long position);

    /** They will not be sent. */
    void failed(SandgateException cause);

    /** The waiter of a {@code Uni}. */
    static Completion of(UniEmitter<? super Long> emitter) {
      return new Completion() {
        @Override
        public void sent(long position) {
          emitter.complete(position);
        }

        @Override
        public void failed(SandgateException cause) {
          emitter.fail(cause);
        }
      };
    }
  }

  /**
   * Bytes on their way.
   *
   * @param completion told when they are sent
   * @param data what is left to send
   * @param end whether the stream ends after them
   */
  private record Write(Completion completion, ByteBuffer data, boolean end) {}

  private final Link link;
  private final int channel;
  private final boolean endCloses;
  private long position;
  private long limit;
  private boolean ended;
  private @Nullable SandgateException closed;
  private @Nullable Write pending;

  /**
   * A stream that may go nowhere yet.
   *
   * @param link where to
   * @param channel of which exchange
   * @param position what the guest took before
   * @param endCloses whether nothing follows an end; on a terminal it is just a character
   */
  SendWindow(Link link, int channel, long position, boolean endCloses) {
    this.link = link;
    this.channel = channel;
    this.position = position;
    this.endCloses = endCloses;
  }

  long position() {
    return position;
  }

  /**
   * Sends bytes; those below the position are taken as sent before.
   *
   * @throws SandgateException {@link ErrorCode#FAILED_PRECONDITION}
   */
  void write(Completion completion, long offset, ByteBuffer data, boolean end) {
    refuseUnlessLegal(offset, data.remaining());
    long known = Math.min(position - offset, data.remaining());
    data.position(data.position() + (int) known);
    if (ended || (!data.hasRemaining() && !end)) {
      completion.sent(position);
      return;
    }
    pending = new Write(completion, data, end);
    if (limit == 0) {
      provoke();
    }
    push();
  }

  /** Without a window the stream may not be open at all, which the guest says when it gets something. */
  private void provoke() {
    sendInput(ByteBuffer.allocate(0), false);
  }

  private void refuseUnlessLegal(long offset, int bytes) {
    if (closed != null) {
      throw closed;
    }
    if (pending != null) {
      throw precondition("a write is under way, one at a time");
    }
    if (offset < 0 || offset > position) {
      throw precondition("the stream is at " + position + ", bytes at " + offset + " leave a gap");
    }
    if (ended && offset + bytes > position) {
      throw precondition("the stream has ended at " + position);
    }
  }

  /** Writes for a caller who may leave; then what was not sent yet is dropped. */
  void write(UniEmitter<? super Long> emitter, long offset, ByteBuffer data, boolean end) {
    Completion completion = Completion.of(emitter);
    write(completion, offset, data, end);
    emitter.onTermination(() -> link.execute(() -> abandon(completion)));
  }

  private void abandon(Completion completion) {
    if (pending != null && pending.completion.equals(completion)) {
      pending = null;
    }
  }

  /** The guest takes more. */
  void raise(long newLimit) {
    if (newLimit > limit) {
      limit = newLimit;
      push();
    }
  }

  /** Nothing is taken any more. */
  void close(SandgateException cause) {
    if (closed == null) {
      closed = cause;
      Write write = pending;
      pending = null;
      if (write != null) {
        write.completion.failed(cause);
      }
    }
  }

  private void push() {
    while (pending != null && step(pending)) {
      // one frame at a time
    }
  }

  /** Sends one frame; false when the window or the write is used up. */
  private boolean step(Write write) {
    ByteBuffer data = write.data;
    long room = Math.max(0, Math.min(Frame.MAX_DATA_BYTES, limit - position));
    int bytes = (int) Math.min(data.remaining(), room);
    boolean last = bytes == data.remaining();
    if (bytes > 0 || last) {
      sendInput(data.slice(data.position(), bytes), last && write.end);
      data.position(data.position() + bytes);
    }
    if (last) {
      pending = null;
      ended = write.end && endCloses;
      write.completion.sent(position);
    }
    return bytes > 0 && !last;
  }

  private void sendInput(ByteBuffer bytes, boolean end) {
    long offset = position;
    position += bytes.remaining();
    link.send(FrameType.INPUT, end ? 1 : 0, channel, f -> f.u64(offset).bytes(bytes));
  }

  /** A copy of a caller's bytes, read until their limit. */
  static ByteBuffer copyOf(ByteBuffer data) {
    return ByteBuffer.allocate(data.remaining()).put(data).flip();
  }

  static SandgateException tooLong(int bytes) {
    return SandgateException.invalid(
        "data", bytes + " bytes in one piece, at most " + Frame.MAX_DATA_BYTES);
  }

  static SandgateException precondition(String message) {
    return new SandgateException(ErrorCode.FAILED_PRECONDITION, message);
  }
}
