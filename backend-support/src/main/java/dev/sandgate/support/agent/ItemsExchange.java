// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.Request.Question;
import java.util.ArrayDeque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Items that each come in a frame; asked for at the first demand. Event loop only. */
final class ItemsExchange<T> extends Exchange implements DemandStream.Source<T> {

  /** An item and what it counts in the window. */
  private record Entry<T>(T item, int bytes) {}

  private final Link link;
  private final Question question;
  private final Function<Frame, T> decode;
  private final ReceiveWindow window = ReceiveWindow.fresh(1);
  private final ArrayDeque<Entry<T>> waiting = new ArrayDeque<>();
  private final DemandStream<T> stream;
  private int handedBytes;

  /**
   * Items of a request.
   *
   * @param decode makes an item of its frame, or throws MalformedFrameException
   */
  ItemsExchange(Link link, Question question, Function<Frame, T> decode) {
    this.link = link;
    this.question = question;
    this.decode = decode;
    this.stream = new DemandStream<>(link, this);
  }

  DemandStream<T> stream() {
    return stream;
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.OK -> end(null);
      case FrameType.FAIL ->
          end(GuestFailure.of(frame).toException(question.operation(), question.subject()));
      default -> add(frame);
    }
  }

  private void add(Frame frame) {
    int bytes = frame.payload().remaining();
    window.arrived(bytes);
    waiting.add(new Entry<>(decode.apply(frame), bytes));
    stream.offerMore();
  }

  private void end(@Nullable SandgateException cause) {
    link.forget(this);
    stream.end(cause);
  }

  @Override
  void onLost(SandgateException reason) {
    stream.abort(reason);
  }

  @Override
  public @Nullable T poll() {
    Entry<T> entry = waiting.poll();
    handedBytes = entry == null ? 0 : entry.bytes;
    return entry == null ? null : entry.item;
  }

  @Override
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  @Override
  public void delivered(T item) {
    window.delivered(handedBytes);
  }

  @Override
  public void wanting() {
    try {
      if (channel == 0) {
        link.open(this, question.type(), question.flags(), question.fields());
      }
      window.grant(link, channel);
    } catch (SandgateException e) {
      stream.end(e);
    }
  }

  @Override
  public void cancelled() {
    waiting.clear();
    if (channel != 0) {
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      link.forget(this);
    }
  }
}
