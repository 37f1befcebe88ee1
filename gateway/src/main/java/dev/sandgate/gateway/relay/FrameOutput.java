// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder.SensitivityDetector;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a connection sends: frames are collected in one buffer that is written once per turn of the loop. While the
 * socket takes nothing the buffer keeps control frames and headers, up to a limit; data is not to be added then, see
 * {@link #accepts()}.
 */
final class FrameOutput {

  /** With which a client begins. */
  static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final int HEADER_BYTES = 9;
  private static final int END_STREAM = 0x1;
  private static final int ACK = 0x1;
  private static final int END_HEADERS = 0x4;
  private static final int MAX_WHY_BYTES = 512;
  private static final int DATA_LIMIT = 512 << 10;
  private static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
  private static final SensitivityDetector SECRETS =
      (name, _) -> AUTHORIZATION.contentEqualsIgnoreCase(name);

  private final RelayLoop loop;
  private final Channel channel;
  private final DefaultHttp2HeadersEncoder encoder =
      new DefaultHttp2HeadersEncoder(SECRETS, false, 16);
  private @Nullable ByteBuf buffer;
  private boolean touched;
  private boolean closed;

  FrameOutput(RelayLoop loop, Channel channel) throws Http2Exception {
    this.loop = loop;
    this.channel = channel;
    encoder.maxHeaderTableSize(0);
  }

  /** Whether data may be added. */
  boolean accepts() {
    ByteBuf collected = buffer;
    return channel.isWritable() && (collected == null || collected.readableBytes() < DATA_LIMIT);
  }

  /** Sends the next bytes of a buffer, which stays the caller's. */
  void data(int id, ByteBuf bytes, int length, boolean end) {
    ByteBuf out = frame(length, Http2FrameTypes.DATA, end ? END_STREAM : 0, id);
    out.writeBytes(bytes, length);
  }

  /** Sends a header block; throws, having sent nothing, when the peer would refuse its size. */
  void headers(int id, Http2Headers headers, boolean end) throws Http2Exception {
    int flags = END_HEADERS | (end ? END_STREAM : 0);
    ByteBuf out = frame(0, Http2FrameTypes.HEADERS, flags, id);
    int start = out.writerIndex();
    boolean sent = false;
    try {
      encoder.encodeHeaders(id, headers, out);
      int length = out.writerIndex() - start;
      if (length > Http2CodecUtil.MAX_FRAME_SIZE_LOWER_BOUND) {
        throw new HeadersTooLarge(length);
      }
      out.setMedium(start - HEADER_BYTES, length);
      sent = true;
    } finally {
      if (!sent) {
        out.writerIndex(start - HEADER_BYTES);
      }
    }
  }

  /** What the peer accepts as a header block, uncompressed. */
  void headerListLimit(long bytes) throws Http2Exception {
    encoder.maxHeaderListSize(bytes);
  }

  void windowUpdate(int id, int increment) {
    frame(4, Http2FrameTypes.WINDOW_UPDATE, 0, id).writeInt(increment);
  }

  void reset(int id, long code) {
    frame(4, Http2FrameTypes.RST_STREAM, 0, id).writeInt((int) code);
  }

  /** Sends settings: pairs of identifier and value. */
  void settings(int... pairs) {
    ByteBuf out = frame(pairs.length * 3, Http2FrameTypes.SETTINGS, 0, 0);
    for (int i = 0; i < pairs.length; i += 2) {
      out.writeShort(pairs[i]).writeInt(pairs[i + 1]);
    }
  }

  void settingsAck() {
    frame(0, Http2FrameTypes.SETTINGS, ACK, 0);
  }

  void ping(long payload, boolean ack) {
    frame(8, Http2FrameTypes.PING, ack ? ACK : 0, 0).writeLong(payload);
  }

  /** Says why the connection ends, for people too: {@code why} is sent as its debug data. */
  void goAway(int lastId, long code, String why) {
    byte[] text = why.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MAX_WHY_BYTES);
    frame(8 + length, Http2FrameTypes.GO_AWAY, 0, 0)
        .writeInt(lastId)
        .writeInt((int) code)
        .writeBytes(text, 0, length);
  }

  /** Sends the bytes with which a client begins. */
  void preface() {
    collecting().writeBytes(PREFACE);
  }

  // Length, type, flags and the high bytes of the id are one long, whose low byte goes over the
  // id's lowest.
  private ByteBuf frame(int length, int type, int flags, int id) {
    ByteBuf out = collecting();
    out.ensureWritable(HEADER_BYTES + length);
    int at = out.writerIndex();
    out.setLong(
        at, ((long) length << 40) | ((long) type << 32) | ((long) flags << 24) | (id >>> 8));
    out.setByte(at + 8, id);
    out.writerIndex(at + HEADER_BYTES);
    return out;
  }

  private ByteBuf collecting() {
    ByteBuf out = buffer;
    if (out == null) {
      out = loop.takeBuffer();
      buffer = out;
    }
    if (!touched) {
      touched = true;
      loop.touch(this);
    }
    return out;
  }

  /** Writes what was collected; called by the loop, and when the socket takes bytes again. */
  void flush() {
    touched = false;
    ByteBuf out = buffer;
    if (out == null) {
      return;
    }
    if (closed || !out.isReadable()) {
      discard();
    } else if (channel.isWritable()) {
      write(out);
    } else if (out.readableBytes() > loop.settings().pendingPerConnection()) {
      close();
    }
  }

  private void write(ByteBuf out) {
    buffer = null;
    out.retain();
    ChannelFuture written = channel.writeAndFlush(out);
    if (written.isDone()) {
      loop.giveBuffer(out);
    } else {
      out.release();
    }
  }

  /** Closes the connection after what was collected, if the socket takes it. */
  void close() {
    if (!closed) {
      closed = true;
      ByteBuf out = buffer;
      buffer = null;
      if (out != null && channel.isWritable()) {
        var _ = channel.write(out);
      } else if (out != null) {
        out.release();
      }
      channel.flush();
      var _ = channel.close();
    }
  }

  /** Forgets what was collected: the connection is gone. */
  void discard() {
    closed = true;
    ByteBuf out = buffer;
    buffer = null;
    if (out != null) {
      loop.giveBuffer(out);
    }
  }
}
