// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file being written: one chunk is asked of the caller when the one before was sent. Event loop only, but for the
 * caller's signals, which hop there.
 */
final class WriteExchange extends Exchange
    implements MultiSubscriber<ByteBuffer>, SendWindow.Completion {

  private final Link link;
  private final String path;
  private final Multi<ByteBuffer> data;
  private final UniEmitter<? super Long> emitter;
  private Flow.@Nullable Subscription upstream;
  private @Nullable SendWindow window;
  private boolean settled;

  WriteExchange(Link link, String path, Multi<ByteBuffer> data, UniEmitter<? super Long> emitter) {
    this.link = link;
    this.path = path;
    this.data = data;
    this.emitter = emitter;
  }

  void open(int flags, Consumer<FieldWriter> question) {
    link.open(this, FrameType.WRITE, flags, question);
    emitter.onTermination(() -> link.execute(this::abandon));
  }

  private void abandon() {
    if (!settled) {
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      settle();
    }
  }

  @Override
  void onFrame(Frame frame) {
    FieldReader fields = frame.fields();
    switch (frame.type()) {
      case FrameType.STARTED -> start();
      case FrameType.WINDOW -> raise(fields);
      case FrameType.DONE -> {
        long written = fields.u64();
        fields.end();
        settle();
        emitter.complete(written);
      }
      case FrameType.FAIL -> fail(GuestFailure.of(frame).toException(Operation.FILE, path));
      default -> throw new MalformedFrameException("frame type " + frame.type() + " for a write");
    }
  }

  private void start() {
    window = new SendWindow(link, channel, 0, true);
    data.subscribe().withSubscriber(this);
  }

  private void raise(FieldReader fields) {
    if (fields.u8() != 0 || window == null) {
      throw new MalformedFrameException("window for a stream the host does not send");
    }
    fields.u64();
    window.raise(fields.u64());
    fields.end();
  }

  private void settle() {
    settled = true;
    link.forget(this);
    if (upstream != null) {
      upstream.cancel();
    }
  }

  private void fail(Throwable cause) {
    settle();
    emitter.fail(cause);
  }

  @Override
  void onLost(SandgateException reason) {
    fail(reason);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    link.execute(() -> begin(subscription));
  }

  private void begin(Flow.Subscription subscription) {
    upstream = subscription;
    if (settled) {
      subscription.cancel();
    } else {
      subscription.request(1);
    }
  }

  @Override
  public void onItem(ByteBuffer item) {
    ByteBuffer bytes = SendWindow.copyOf(item);
    link.execute(() -> send(bytes, false));
  }

  @Override
  public void onCompletion() {
    link.execute(() -> send(ByteBuffer.allocate(0), true));
  }

  @Override
  public void onFailure(Throwable failure) {
    link.execute(() -> giveUp(failure));
  }

  private void giveUp(Throwable failure) {
    if (!settled) {
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      fail(failure);
    }
  }

  private void send(ByteBuffer bytes, boolean end) {
    try {
      if (!settled && window != null) {
        window.write(this, window.position(), bytes, end);
      }
    } catch (SandgateException e) {
      giveUp(e);
    }
  }

  @Override
  public void sent(long position) {
    if (upstream != null && !settled) {
      upstream.request(1);
    }
  }

  @Override
  public void failed(SandgateException cause) {
    fail(cause);
  }
}
