// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The other end of an HTTP/2 connection, written by hand: sends and reads any frame, right or wrong. Blocks. */
public final class RawPeer implements AutoCloseable {

  /** Frame types. */
  public static final int DATA = 0;

  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;

  /** Flags. */
  public static final int END_STREAM = 1;

  public static final int ACK = 1;
  public static final int END_HEADERS = 4;
  public static final int PADDED = 8;

  private static final int PATIENCE_MILLIS = 20_000;
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1 << 16);

  /** A frame that was read; headers are decoded. */
  public record Frame(
      int type, int flags, int id, ByteString payload, Map<String, String> headers) {

    /** A header's value, or nothing. */
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }

    /** Whether it has a flag. */
    public boolean has(int flag) {
      return (flags & flag) != 0;
    }

    /** The 32-bit number at an offset. */
    public int number(int offset) {
      return payload.asReadOnlyByteBuffer().getInt(offset);
    }
  }

  private boolean dribbling;

  private RawPeer(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
  }

  /** A client with the preface sent, but no settings. */
  public static RawPeer connect(int port) {
    try {
      RawPeer peer = new RawPeer(new Socket(InetAddress.getLoopbackAddress(), port));
      peer.bytes(PREFACE);
      return peer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A connection on which nothing was sent. */
  public static RawPeer raw(int port) {
    try {
      return new RawPeer(new Socket(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client that has sent the preface and settings. */
  public static RawPeer client(int port, int... settings) {
    RawPeer peer = connect(port);
    peer.settings(settings);
    return peer;
  }

  /** A node that has read the gateway's preface and sent settings. */
  public static RawPeer accept(ServerSocket server, int... settings) {
    try {
      server.setSoTimeout(PATIENCE_MILLIS);
      RawPeer peer = new RawPeer(server.accept());
      peer.in.readNBytes(PREFACE.length);
      peer.settings(settings);
      return peer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends raw bytes. */
  public synchronized void bytes(byte[] bytes) {
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a frame. */
  public synchronized void frame(int type, int flags, int id, byte... payload) {
    queue(type, flags, id, payload);
    flush();
  }

  /** Adds a frame to what is sent next. */
  public synchronized void queue(int type, int flags, int id, byte... payload) {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.putInt(payload.length << 8 | type).put((byte) flags).putInt(id).put(payload);
    try {
      for (int i = 0; dribbling && i < frame.capacity(); i++) {
        out.write(frame.get(i));
        out.flush();
      }
      if (!dribbling) {
        out.write(frame.array());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** From now on sends every byte alone. */
  public void dribble() {
    dribbling = true;
  }

  /** Waits for the gateway's settings. */
  public void awaitSettings() {
    await(SETTINGS, 0);
  }

  /** Sends raw bytes, as far as the gateway takes them. */
  public synchronized void bytesQuietly(byte[] bytes) {
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      assert e instanceof java.net.SocketException : e;
    }
  }

  /** Sends what was added. */
  public synchronized void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends settings, pairs of identifier and value. */
  public void settings(int... pairs) {
    ByteBuffer payload = ByteBuffer.allocate(pairs.length * 3);
    for (int i = 0; i < pairs.length; i += 2) {
      payload.putShort((short) pairs[i]).putInt(pairs[i + 1]);
    }
    frame(SETTINGS, 0, 0, payload.array());
  }

  /** Sends a window update. */
  public void windowUpdate(int id, int increment) {
    frame(WINDOW_UPDATE, 0, id, number(increment));
  }

  /** Sends a header block, pairs of name and value. */
  public void headers(int id, boolean end, String... pairs) {
    Http2Headers headers = new DefaultHttp2Headers(false);
    for (int i = 0; i < pairs.length; i += 2) {
      headers.add(pairs[i], pairs[i + 1]);
    }
    ByteBuf block = Unpooled.buffer();
    try {
      encoder.encodeHeaders(id, headers, block);
    } catch (Http2Exception e) {
      throw new AssertionError(e);
    }
    frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), id, ByteBufUtil.getBytes(block));
  }

  /** Begins a call as a client does. */
  public void call(int id, String path, boolean end, String... more) {
    String[] pairs = new String[12 + more.length];
    String[] usual = {
      ":method",
      "POST",
      ":scheme",
      "http",
      ":path",
      path,
      ":authority",
      "test",
      "content-type",
      "application/grpc",
      "authorization",
      "Bearer " + TestGateway.KEY
    };
    System.arraycopy(usual, 0, pairs, 0, usual.length);
    System.arraycopy(more, 0, pairs, usual.length, more.length);
    headers(id, end, pairs);
  }

  /** Sends response headers as a node does. */
  public void respond(int id) {
    headers(id, false, ":status", "200", "content-type", "application/grpc");
  }

  /** The next frame. */
  public Frame next() {
    try {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int id = in.readInt();
      byte[] payload = in.readNBytes(length);
      if (payload.length < length) {
        throw new java.io.EOFException();
      }
      Map<String, String> headers = type == HEADERS ? decoded(id, payload) : Map.of();
      return new Frame(type, flags, id, ByteString.copyFrom(payload), headers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next frame of a kind; those before are dropped. */
  public Frame await(Predicate<Frame> wanted) {
    Frame frame = next();
    while (!wanted.test(frame)) {
      frame = next();
    }
    return frame;
  }

  /** The next frame of a type on a stream. */
  public Frame await(int type, int id) {
    return await(
        frame -> frame.type() == type && frame.id() == id && !(type == SETTINGS && frame.has(ACK)));
  }

  /** Reads until the gateway closes the connection. */
  public void awaitClosed() {
    try {
      while (in.read() >= 0) {
        // Whatever is still sent does not matter.
      }
    } catch (IOException e) {
      if (!(e instanceof java.net.SocketException)) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private Map<String, String> decoded(int id, byte[] block) throws IOException {
    Map<String, String> headers = new TreeMap<>();
    try {
      decoder
          .decodeHeaders(id, Unpooled.wrappedBuffer(block))
          .forEach(entry -> headers.put(entry.getKey().toString(), entry.getValue().toString()));
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
    return headers;
  }

  /** A number as four bytes. */
  public static byte[] number(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  /** A message with its gRPC prefix. */
  public static byte[] grpc(MessageLite message) {
    return grpc(message.toByteArray());
  }

  /** Bytes with a gRPC prefix. */
  public static byte[] grpc(byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
