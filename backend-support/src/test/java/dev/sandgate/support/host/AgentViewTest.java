// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.tck.Eventually;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which processes are slow and which are silent. */
class AgentViewTest {

  /** Its child opens a pipe that nobody reads, before it becomes the program; so long the kernel lets the parent wait. */
  private static final String WAITS_IN_THE_KERNEL =
      """
      import os, sys
      os.mkfifo(sys.argv[1])
      opened = (os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY, 0)
      os.posix_spawn("/bin/true", ["true"], {}, file_actions=[opened])
      """;

  @TempDir Path place;

  @Test
  void shouldTakeAProcessThatWaitsInTheKernelForASlowOne() throws Exception {
    String pipe = place.resolve("pipe").toString();
    Process process = new ProcessBuilder("python3", "-c", WAITS_IN_THE_KERNEL, pipe).start();
    try {
      Eventually.holds("it waits in the kernel", () -> "D".equals(state(process)));
      assertTrue(of(process).cannotAnswer());
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldTakeAProcessThatComputesForASlowOne() throws Exception {
    Process process = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
    try {
      Eventually.holds("it computes", () -> of(process).cannotAnswer());
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldTakeNeitherAStoppedNorAnEndedProcessForASlowOne() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    try {
      Process stop = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start();
      assertEquals(0, stop.waitFor());
      Eventually.holds("it is stopped", () -> "T".equals(state(process)));
      assertFalse(of(process).cannotAnswer());
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertFalse(of(process).cannotAnswer());
  }

  private static AgentView of(Process process) {
    return new AgentView(
        OomCounter.of(CgroupMounts.read(), (int) process.pid()),
        (int) process.pid(),
        Optional.empty());
  }

  private static String state(Process process) {
    String stat = ProcFile.text("/proc/" + process.pid() + "/stat");
    return stat.isEmpty()
        ? ""
        : stat.substring(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  }
}
