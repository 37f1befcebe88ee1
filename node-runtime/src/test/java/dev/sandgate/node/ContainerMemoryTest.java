// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecOutcome;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Commands that the kernel kills for memory. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerMemoryTest {

  private static final int SANDBOXES = 8;
  private static final int TIMES = 10;
  private static final int TRIES = 5;
  private static final long MEMORY = 32 << 20;

  private ContainerNode host;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private String create() {
    return host.create(
        SandboxSpec.newBuilder().setLimits(Limits.newBuilder().setMemoryBytes(MEMORY)));
  }

  private ExecResult run(String sandbox, String line) {
    return host.rpc()
        .unary(
            ExecsGrpcClient.Run,
            RunExecRequest.newBuilder()
                .setSandboxId(sandbox)
                .setCommand(Command.newBuilder().setShell(line))
                .build());
  }

  /** How many greedy commands were told as killed for memory: each by itself, or with its whole sandbox. */
  private int told() {
    int told = 0;
    String sandbox = create();
    for (int i = 0; i < TIMES; i++) {
      told += killed(sandbox, "tail -c 200m /dev/zero", TRIES) ? 1 : 0;
      // A small sandbox whose memory is not yet given back may lose its first process instead.
      if (state(sandbox) != SandboxState.SANDBOX_STATE_RUNNING || !isWell(sandbox)) {
        sandbox = create();
      }
    }
    return told;
  }

  private boolean killed(String sandbox, String line, int tries) {
    try {
      ExecResult result = run(sandbox, line);
      return result.getOutOfMemory() || endedForMemory(sandbox);
    } catch (Failed failed) {
      // Before the memory is given back there may be too little to start anything: then nothing was
      // killed.
      boolean again = tries > 1 && failed.detail().getCode().equals("EXEC_FAILED");
      return again ? killed(sandbox, line, tries - 1) : endedForMemory(sandbox);
    }
  }

  private boolean isWell(String sandbox) {
    try {
      ExecResult frugal = run(sandbox, "echo well");
      if (frugal.getOutcome() != ExecOutcome.EXEC_OUTCOME_UNKNOWN) {
        boolean well = frugal.getExitCode() == 0;
        assertEquals(well ? "well\n" : "", frugal.getStdout().toStringUtf8(), frugal::toString);
        assertEquals(!well, frugal.getOutOfMemory(), frugal::toString);
        return true;
      }
    } catch (Failed failed) {
      if (failed.detail().getCode().equals("EXEC_FAILED")) {
        return true;
      }
      assertEquals(GrpcStatus.FAILED_PRECONDITION, failed.status(), failed.toString());
    }
    assertTrue(endedForMemory(sandbox), sandbox);
    return false;
  }

  private SandboxState state(String sandbox) {
    return get(sandbox).getState();
  }

  private boolean endedForMemory(String sandbox) {
    return Eventually.value(
            "the sandbox's end",
            () -> get(sandbox),
            box -> box.getState() != SandboxState.SANDBOX_STATE_RUNNING)
        .getTermination()
        .getReason()
        .equals("OUT_OF_MEMORY");
  }

  private Sandbox get(String sandbox) {
    return host.rpc()
        .unary(
            SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(sandbox).build());
  }

  @Test
  void shouldTellEveryCommandThatTheKernelKilledForMemory() throws Exception {
    String bystander = create();
    List<Future<Integer>> told = new ArrayList<>();
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < SANDBOXES; i++) {
        told.add(each.submit(this::told));
      }
    }
    for (Future<Integer> count : told) {
      assertEquals(TIMES, count.get());
    }
    assertEquals("well\n", run(bystander, "echo well").getStdout().toStringUtf8());
  }

  @Test
  void shouldTellAKillForMemoryAlsoWhenTheShellHidesIt() {
    ExecResult result = run(create(), "tail -c 200m /dev/zero | tail -n 1 > /dev/null; exit 3");
    assertEquals(3, result.getExitCode());
    assertTrue(result.getOutOfMemory());
  }
}
