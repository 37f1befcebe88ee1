// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Connection;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Handover;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.Chunks.Chunk;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A connection to a port inside. Event loop only, but for the caller's methods. */
final class PortExchange extends Exchange implements Connection, DemandStream.Source<ByteBuffer> {

  private static final int PEER_ENDED = 1;

  private final Link link;
  private final int port;
  private final Handover<Connection> opened;
  private final Incoming incoming;
  private final DemandStream<ByteBuffer> input;
  private @Nullable SendWindow output;
  private volatile boolean used;
  private boolean over;

  PortExchange(Link link, int port, Handover<Connection> opened) {
    this.link = link;
    this.port = port;
    this.opened = opened;
    this.incoming = new Incoming(link, this, ReceiveWindow.fresh(1));
    this.input = new DemandStream<>(link, this);
  }

  void open() {
    link.open(this, FrameType.CONNECT, 0, f -> f.u16(port));
    opened.onCancelled(() -> link.execute(this::leaveUnlessUsed));
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.STARTED -> start();
      case FrameType.OUTPUT -> take(frame);
      case FrameType.WINDOW -> raise(frame.fields());
      case FrameType.INPUT_CLOSED -> closeOutput("the service takes no more");
      case FrameType.OK -> over(null);
      case FrameType.FAIL ->
          over(GuestFailure.of(frame).toException(Operation.CONNECT, "port " + port));
      default -> throw new MalformedFrameException("frame type " + frame.type() + " for a port");
    }
  }

  private void start() {
    output = new SendWindow(link, channel, 0, true);
    opened.complete(this);
  }

  private void take(Frame frame) {
    incoming.output(frame);
    if ((frame.flags() & PEER_ENDED) != 0) {
      input.end(null);
    } else {
      input.offerMore();
    }
  }

  private void raise(FieldReader fields) {
    if (fields.u8() != 0 || output == null) {
      throw new MalformedFrameException("window for a stream the host does not send");
    }
    fields.u64();
    output.raise(fields.u64());
    fields.end();
  }

  private void closeOutput(String why) {
    if (output != null) {
      output.close(SendWindow.precondition(why));
    }
  }

  private void over(@Nullable SandgateException cause) {
    link.forget(this);
    over = true;
    if (cause != null && output == null) {
      opened.fail(cause);
    } else if (cause != null && output != null) {
      output.close(cause);
    } else {
      closeOutput("the connection has ended");
    }
    if (cause == null) {
      input.end(null);
    } else {
      input.abort(cause);
    }
  }

  @Override
  void onLost(SandgateException reason) {
    over(reason);
  }

  @Override
  public Multi<ByteBuffer> input() {
    used = true;
    return input;
  }

  @Override
  public Uni<Void> write(ByteBuffer data, boolean end) {
    used = true;
    if (data.remaining() > Frame.MAX_DATA_BYTES) {
      return Uni.createFrom().failure(SendWindow.tooLong(data.remaining()));
    }
    ByteBuffer bytes = SendWindow.copyOf(data);
    return link.<Long>uni(emitter -> send(emitter, bytes, end)).replaceWithVoid();
  }

  private void send(UniEmitter<? super Long> emitter, ByteBuffer bytes, boolean end) {
    if (output != null) {
      output.write(emitter, output.position(), bytes, end);
    }
  }

  @Override
  public void close() {
    link.execute(this::leave);
  }

  private void leaveUnlessUsed() {
    if (!used) {
      leave();
    }
  }

  private void leave() {
    if (!over) {
      link.send(FrameType.CANCEL, 0, channel, f -> {});
      over(new SandgateException(ErrorCode.CANCELLED, "the connection was closed"));
    }
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
    incoming.grant();
  }

  @Override
  public void cancelled() {
    incoming.close();
  }
}
