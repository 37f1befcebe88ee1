// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.Chunks.Chunk;
import dev.sandgate.support.agent.Request.Question;
import dev.sandgate.support.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The bytes of a file or an archive; asked for at the first demand. Event loop only. */
final class ReadExchange extends Exchange implements DemandStream.Source<ByteBuffer> {

  private final Link link;
  private final Question question;
  private final Incoming incoming;
  private final DemandStream<ByteBuffer> stream;

  ReadExchange(Link link, Question question) {
    this.link = link;
    this.question = question;
    this.incoming = new Incoming(link, this, ReceiveWindow.fresh(1));
    this.stream = new DemandStream<>(link, this);
  }

  DemandStream<ByteBuffer> stream() {
    return stream;
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.OUTPUT -> {
        incoming.output(frame);
        stream.offerMore();
      }
      case FrameType.OK -> end(null);
      case FrameType.FAIL ->
          end(GuestFailure.of(frame).toException(question.operation(), question.subject()));
      default -> throw new MalformedFrameException("frame type " + frame.type() + " for a read");
    }
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
  public @Nullable ByteBuffer poll() {
    Chunk chunk = incoming.poll();
    return chunk == null ? null : chunk.bytes();
  }

  @Override
  public boolean isEmpty() {
    return incoming.isEmpty();
  }

  @Override
  public void delivered(ByteBuffer item) {
    incoming.delivered();
  }

  @Override
  public void wanting() {
    try {
      if (channel == 0) {
        link.open(this, question.type(), question.flags(), question.fields());
      }
      incoming.grant();
    } catch (SandgateException e) {
      stream.end(e);
    }
  }

  @Override
  public void cancelled() {
    incoming.close();
    if (channel != 0) {
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      link.forget(this);
    }
  }
}
