// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.RunExecRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Output when the disk has no room for it. */
class OutputDiskTest {

  @Test
  void shouldGiveUpTheOldestOutputWhenTheDiskShareIsUsedUp() throws Exception {
    try (TestNode small =
        TestNode.start(config -> TestNode.with(config, "node.spool-bytes", "3000000"))) {
      String id = small.create().getSandboxId();
      for (int i = 0; i < 6; i++) {
        small
            .rpc()
            .unary(
                ExecsGrpcClient.Run,
                RunExecRequest.newBuilder()
                    .setSandboxId(id)
                    .setExecId("e" + i)
                    .setCommand(seq(150_000))
                    .build());
      }
      assertTrue(bytesOfSpools(small) <= 3_000_000, bytesOfSpools(small) + " bytes");
      Ran oldest = Ran.of(attach(small, id, "e0"));
      assertEquals("", oldest.stdout());
      assertEquals(938_895, oldest.truncated().getFirst().getTo());
      assertEquals(oldest.truncated(), oldest.result().getTruncatedList());
      assertEquals(text(150_000), Ran.of(attach(small, id, "e5")).stdout());
    }
  }

  @Test
  void shouldLetACommandGoOnWhenItsOutputHasNoDiskLeft() throws Exception {
    try (TestNode small =
        TestNode.start(config -> TestNode.with(config, "node.spool-bytes", "300000"))) {
      String id = small.create().getSandboxId();
      ExecResult run =
          small
              .rpc()
              .unary(
                  ExecsGrpcClient.Run,
                  RunExecRequest.newBuilder()
                      .setSandboxId(id)
                      .setExecId("full")
                      .setCommand(seq(150_000))
                      .build());
      assertEquals(0, run.getExitCode());
      assertTrue(run.getStdout().size() >= 64 << 10, run.getStdout().size() + " bytes");
      assertTrue(text(150_000).startsWith(run.getStdout().toStringUtf8()));
      assertEquals(938_895, run.getStdout().size() + gap(run));
      Ran late = Ran.of(attach(small, id, "full"));
      assertEquals(run.getStdout().toStringUtf8(), late.stdout());
      assertEquals(run.getTruncatedList(), late.truncated());
    }
  }

  private static List<ExecEvent> attach(TestNode of, String sandboxId, String id) {
    return of.rpc().stream(
            ExecsGrpcClient.Attach,
            AttachExecRequest.newBuilder().setSandboxId(sandboxId).setExecId(id).build())
        .rest();
  }

  private static Command.Builder seq(int lines) {
    return Command.newBuilder().addArgv("seq").addArgv("1").addArgv(String.valueOf(lines));
  }

  private static String text(int lines) {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= lines; i++) {
      all.append(i).append('\n');
    }
    return all.toString();
  }

  private static long gap(ExecResult result) {
    return result.getTruncated(0).getTo() - result.getTruncated(0).getFrom();
  }

  private static long bytesOfSpools(TestNode of) {
    try (Stream<java.nio.file.Path> files = Files.list(of.directory().resolve("spool"))) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
