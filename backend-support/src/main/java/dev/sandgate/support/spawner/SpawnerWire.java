// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Consumer;

/** One connection to a spawner; one request at a time, blocking. */
final class SpawnerWire implements AutoCloseable {

  private static final int HEADER_BYTES = 5;
  private static final int MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
  private static final int OK = 0x80;
  private static final int FAIL = 0x81;

  private final SocketChannel channel;

  private SpawnerWire(SocketChannel channel) {
    this.channel = channel;
  }

  static SpawnerWire connect(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new SpawnerWire(channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Asks and waits.
   *
   * @return the fields of the OK
   * @throws SpawnerException when it was refused
   */
  FieldReader ask(int type, Consumer<FieldWriter> fields) throws IOException {
    send(type, fields);
    ByteBuffer header = read(HEADER_BYTES);
    int length = header.getInt();
    int answer = header.get() & 0xff;
    if (length < 0 || length > MAX_PAYLOAD_BYTES) {
      throw new MalformedFrameException("answer of " + Integer.toUnsignedString(length) + " bytes");
    }
    FieldReader answered = new FieldReader(read(length));
    return switch (answer) {
      case OK -> answered;
      case FAIL -> throw SpawnerException.refused(answered.u16(), answered.i32(), answered.str());
      default -> throw new MalformedFrameException("answer of unknown type " + answer);
    };
  }

  private void send(int type, Consumer<FieldWriter> fields) throws IOException {
    ByteBuf frame = Unpooled.buffer(256);
    frame.writeInt(0).writeByte(type);
    fields.accept(new FieldWriter(frame));
    frame.setInt(0, frame.readableBytes() - HEADER_BYTES);
    ByteBuffer bytes = frame.nioBuffer();
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private ByteBuffer read(int bytes) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(bytes);
    while (target.hasRemaining()) {
      if (channel.read(target) < 0) {
        throw new EOFException("the spawner closed the connection");
      }
    }
    return target.flip();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
