// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Ran;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.proto.v1.WaitExecRequest;
import dev.sandgate.proto.v1.WriteStdinRequest;
import dev.sandgate.proto.v1.WriteStdinResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Input of commands in containers. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerStdinTest {

  private static final int CHUNK = 60_000;
  private static final int CHUNKS = 10;

  private ContainerNode host;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private static WriteStdinRequest chunk(Box box, int index, boolean end) {
    return WriteStdinRequest.newBuilder()
        .setSandboxId(box.id())
        .setExecId("late")
        .setChunk(
            StdinChunk.newBuilder()
                .setOffset((long) index * CHUNK)
                .setData(ByteString.copyFrom(new byte[end ? 0 : CHUNK]))
                .setEnd(end))
        .build();
  }

  /** As a caller that comes back does while what it sent before still waits for the command to read. */
  @Test
  void shouldTakeTheSameFromSeveralCallersWhileTheCommandDoesNotRead() {
    try (Box box = Box.of(host.rpc(), "busybox")) {
      Command late = Command.newBuilder().setShell("sleep 2; wc -c").setStdin(true).build();
      host.rpc().stream(
              ExecsGrpcClient.Start,
              StartExecRequest.newBuilder()
                  .setSandboxId(box.id())
                  .setExecId("late")
                  .setCommand(late)
                  .build())
          .next();
      List<Answers<?, WriteStdinResponse>> writers = new ArrayList<>();
      for (int i = 0; i < CHUNKS * 3; i++) {
        writers.add(host.rpc().stream(ExecsGrpcClient.WriteStdin, chunk(box, i / 3, false)));
      }
      for (int i = 0; i < CHUNKS * 3; i++) {
        long taken = writers.get(i).only().getAcceptedOffset();
        assertEquals(CHUNK * (long) (i / 3 + 1), taken);
      }
      host.rpc().unary(ExecsGrpcClient.WriteStdin, chunk(box, CHUNKS, true));
      WaitExecRequest end =
          WaitExecRequest.newBuilder().setSandboxId(box.id()).setExecId("late").build();
      assertEquals(0, host.rpc().unary(ExecsGrpcClient.Wait, end).getResult().getExitCode());
      assertEquals(CHUNKS * CHUNK, Integer.parseInt(output(box)));
    }
  }

  private String output(Box box) {
    return Ran.of(
            host.rpc().stream(
                    ExecsGrpcClient.Attach,
                    AttachExecRequest.newBuilder().setSandboxId(box.id()).setExecId("late").build())
                .rest())
        .stdout()
        .strip();
  }
}
