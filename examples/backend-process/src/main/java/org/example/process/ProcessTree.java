// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The processes that carry a mark in their environment, which children inherit whatever session, group or
 * parent they leave: only a process that clears its environment escapes.
 *
 * @param mark a {@code NAME=value} of the environment, or the beginning of one
 */
record ProcessTree(String mark) {

  /** The variable that marks: the sandbox's directory, a slash, the exec's id. */
  static final String VARIABLE = "SANDGATE_PROCESS";

  private static final int ROUNDS = 500;
  private static final int READS = 10;

  static ProcessTree ofSandbox(Path home) {
    return new ProcessTree(VARIABLE + "=" + home + "/");
  }

  static ProcessTree ofExec(Path home, String execId) {
    return new ProcessTree(VARIABLE + "=" + home + "/" + execId + "\0");
  }

  List<ProcessHandle> alive() {
    return ProcessHandle.allProcesses().filter(this::marked).toList();
  }

  private boolean marked(ProcessHandle process) {
    Path proc = Path.of("/proc/" + process.pid());
    try {
      byte[] environ = Files.readAllBytes(proc.resolve("environ"));
      for (int i = 0; environ.length == 0 && i < READS && runsProgram(proc); i++) {
        LockSupport.parkNanos(200_000);
        environ = Files.readAllBytes(proc.resolve("environ"));
      }
      return ("\0" + new String(environ, StandardCharsets.UTF_8)).contains("\0" + mark);
    } catch (IOException endedOrNotOurs) {
      return false;
    }
  }

  /** Neither a zombie nor the kernel's: an empty environment may be one that execve is about to fill. */
  private static boolean runsProgram(Path proc) throws IOException {
    return !Files.readSymbolicLink(proc.resolve("exe")).toString().isEmpty();
  }

  /** Kills until none is left: a process may fork while we look. */
  void kill() throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      List<ProcessHandle> left = alive();
      if (left.isEmpty()) {
        return;
      }
      left.forEach(ProcessHandle::destroyForcibly);
      TimeUnit.MILLISECONDS.sleep(2);
    }
    throw new SandgateException(ErrorCode.INTERNAL, "processes survive SIGKILL: " + alive());
  }

  static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Resident bytes of a process, 0 when it ended. */
  static long memory(ProcessHandle process) {
    try {
      String statm = Files.readString(Path.of("/proc/" + process.pid() + "/statm"));
      return 4096 * Long.parseLong(statm.split(" ", -1)[1]);
    } catch (IOException ended) {
      return 0;
    }
  }
}
