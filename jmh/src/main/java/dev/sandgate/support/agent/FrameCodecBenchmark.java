// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Frames between node and guest agent: decoding output as it arrives, encoding a command. In the package of what it
 * measures, which is not public. {@code dev.sandgate.jmh.Smoke} runs it.
 */
@NullMarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FrameCodecBenchmark {

  /** Bytes of output in one frame: a short line, a full pipe buffer. */
  @Param({"64", "65536"})
  public int outputBytes;

  private long decoded;
  private final FrameDecoder decoder =
      new FrameDecoder(frame -> decoded += frame.payload().remaining());
  private ByteBuf arrived = Unpooled.EMPTY_BUFFER;

  /** One frame of output as it comes from the socket. */
  @Setup
  public void arrive() {
    ByteBuffer output = ByteBuffer.allocate(outputBytes);
    ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer();
    arrived = Link.encode(buffer, FrameType.OUTPUT, 0, 7, fields -> fields.u64(1).bytes(output));
  }

  /** One frame of output. */
  @Benchmark
  public long decode() {
    decoder.feed(arrived);
    arrived.readerIndex(0);
    return decoded;
  }

  /** The frame that asks for a command. */
  @Benchmark
  public int encode() {
    ByteBuf out = arrived.alloc().directBuffer(128);
    Link.encode(out, FrameType.EXEC, 0, 7, fields -> fields.str("exec-1").str("/bin/true"));
    int bytes = out.readableBytes();
    out.release();
    return bytes;
  }
}
