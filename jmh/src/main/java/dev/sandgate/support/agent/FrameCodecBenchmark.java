// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import io.netty.buffer.ByteBuf;
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

  private static final int CHANNEL = 7;

  private final ByteBuf out = UnpooledByteBufAllocator.DEFAULT.directBuffer();

  /** One frame of output as it comes from the socket. */
  @State(Scope.Thread)
  public static class Arrived {

    /** Bytes of output in the frame: a short line, a full pipe buffer. */
    @Param({"64", "65536"})
    public int outputBytes;

    private final ByteBuf bytes = UnpooledByteBufAllocator.DEFAULT.directBuffer();
    private long decoded;
    private final FrameDecoder decoder =
        new FrameDecoder(frame -> decoded += frame.payload().remaining());

    /** Fills the frame. */
    @Setup
    public void arrive() {
      ByteBuffer output = ByteBuffer.allocate(outputBytes);
      Link.encode(bytes, FrameType.OUTPUT, 0, CHANNEL, fields -> fields.u64(1).bytes(output));
    }
  }

  /** One frame of output. */
  @Benchmark
  public long decode(Arrived arrived) {
    arrived.decoder.feed(arrived.bytes);
    arrived.bytes.readerIndex(0);
    return arrived.decoded;
  }

  /** The frame that asks for a command. */
  @Benchmark
  public int encode() {
    Link.encode(
        out.clear(), FrameType.EXEC, 0, CHANNEL, fields -> fields.str("exec-1").str("/bin/true"));
    return out.readableBytes();
  }
}
