// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What the gateway does to route a stream: find the sandbox id in the first message's bytes and the node in the id. In
 * the package of what it measures, which is not public. {@code dev.sandgate.jmh.Smoke} runs it.
 */
@NullMarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SandboxIdScanBenchmark {

  private static final String ID = "sb-n1-abcdefghij2345672345";

  private ByteBuf message = Unpooled.EMPTY_BUFFER;

  /** The first message of an interactive command, as the stream's bytes. */
  @Setup
  public void arrive() {
    StartExecRequest start =
        StartExecRequest.newBuilder()
            .setSandboxId(ID)
            .setCommand(Command.newBuilder().addArgv("bash").setStdin(true))
            .build();
    byte[] body =
        InteractRequest.newBuilder().setSandboxId(ID).setStart(start).build().toByteArray();
    message = UnpooledByteBufAllocator.DEFAULT.directBuffer();
    message.writeByte(0).writeInt(body.length).writeBytes(body);
  }

  /** From bytes to the node's name. */
  @Benchmark
  public String route() {
    SandboxIdScanner scanner = new SandboxIdScanner();
    if (scanner.scan(message) != SandboxIdScanner.Result.FOUND) {
      throw new IllegalStateException("no sandbox id in the message");
    }
    String node = SandboxId.node(scanner.id());
    if (node == null) {
      throw new IllegalStateException(scanner.id() + " is no sandbox id");
    }
    return node;
  }
}
