// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.Request.Question;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * A file or an archive being sent in: one chunk is asked of the caller when the one before was sent. Event loop only, but for the
 * caller's signals, which hop there.
 */
final class WriteExchange extends Exchange
    implements MultiSubscriber<ByteBuffer>, SendWindow.Completion {

  /** What the guest did with it. */
  record Written(long bytes, long entries) {}

  private final Link link;
  private final Question question;
  private final Multi<ByteBuffer> data;
  private final UniEmitter<? super Written> emitter;
  private Flow.@Nullable Subscription upstream;
  private @Nullable SendWindow window;
  private boolean sending;
  private boolean ended;
  private boolean settled;

  private WriteExchange(
      Link link, Question question, Multi<ByteBuffer> data, UniEmitter<? super Written> emitter) {
    this.link = link;
    this.question = question;
    this.data = data;
    this.emitter = emitter;
  }

  /** Asks to write, and writes. */
  static Uni<Written> send(Link link, Question question, Multi<ByteBuffer> data) {
    return link.uni(emitter -> new WriteExchange(link, question, data, emitter).open());
  }

  private void open() {
    link.open(this, question.type(), question.flags(), question.fields());
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
        Written written = new Written(fields.u64(), fields.u64());
        fields.end();
        settle();
        emitter.complete(written);
      }
      case FrameType.FAIL ->
          fail(GuestFailure.of(frame).toException(question.operation(), question.subject()));
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
    link.execute(() -> sendChunk(bytes));
  }

  @Override
  public void onCompletion() {
    link.execute(this::sourceEnded);
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

  private void sendChunk(ByteBuffer bytes) {
    sending = true;
    send(bytes, false);
  }

  /** The source may end while its last chunk still waits for the guest. */
  private void sourceEnded() {
    ended = true;
    if (!sending) {
      send(ByteBuffer.allocate(0), true);
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
    boolean chunk = sending;
    sending = false;
    if (chunk && ended) {
      send(ByteBuffer.allocate(0), true);
    } else if (chunk && upstream != null && !settled) {
      upstream.request(1);
    }
  }

  @Override
  public void failed(SandgateException cause) {
    fail(cause);
  }
}
