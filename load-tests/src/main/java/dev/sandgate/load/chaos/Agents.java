// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.load.host.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The first processes of sandboxes, found by what the kernel says. */
final class Agents {

  private static final Pattern FIRST_INSIDE = Pattern.compile("(?m)^NSpid:.*\\s1$");

  private Agents() {}

  /** Kills the first process of a sandbox as SIGKILL does; false when there is none. */
  static boolean kill(Scratch scratch, String sandboxId) throws IOException {
    boolean killed = false;
    for (long pid : inside(scratch, sandboxId)) {
      if (isFirst(pid)) {
        killed |= ProcessHandle.of(pid).map(ProcessHandle::destroyForcibly).orElse(false);
      }
    }
    return killed;
  }

  private static Set<Long> inside(Scratch scratch, String sandboxId) throws IOException {
    Set<Long> pids = new HashSet<>();
    for (Path cgroup : scratch.cgroups()) {
      Path list = cgroup.resolve("cgroup.procs");
      if (cgroup.toString().contains(sandboxId) && Files.exists(list)) {
        Files.readAllLines(list).forEach(line -> pids.add(Long.valueOf(line)));
      }
    }
    return pids;
  }

  private static boolean isFirst(long pid) throws IOException {
    try {
      String status = Files.readString(Path.of("/proc", Long.toString(pid), "status"));
      return FIRST_INSIDE.matcher(status).find();
    } catch (NoSuchFileException gone) {
      return false;
    }
  }
}
