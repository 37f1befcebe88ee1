// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.host;

import dev.sandgate.support.agent.GuestView;
import io.smallrye.mutiny.Uni;
import java.util.Optional;

/**
 * A sandbox as its agent's process and its memory cgroup show it.
 *
 * @param kills of its memory cgroup
 * @param pid of the agent on the host
 * @param events file that tells whether its cgroup is frozen
 */
public record AgentView(OomCounter kills, int pid, Optional<String> events) implements GuestView {

  /** Runnable, and waiting in the kernel, as for memory that comes back from swap. */
  private static final String CANNOT_ANSWER = "RD";

  private static final String EVENTS = "/cgroup.events";

  /** The view of the sandbox whose agent has this pid on the host. */
  public static AgentView of(CgroupMounts mounts, int pid) {
    return new AgentView(
        OomCounter.of(mounts, pid), pid, mounts.ofProcess(pid).map(place -> place + EVENTS));
  }

  @Override
  public Uni<Long> memoryKills() {
    return Uni.createFrom().item(kills::read);
  }

  @Override
  public boolean cannotAnswer() {
    return isFrozen() || CANNOT_ANSWER.contains(state());
  }

  /** Stands still while a snapshot of it is made. */
  private boolean isFrozen() {
    return events.map(ProcFile::small).orElse("").contains("frozen 1");
  }

  /** The letter after the name in {@code /proc/PID/stat}; the name may hold spaces and brackets. Of one that is gone X. */
  private String state() {
    String stat = ProcFile.text("/proc/" + pid + "/stat");
    String after = stat.substring(stat.lastIndexOf(')') + 1).strip();
    return after.isEmpty() ? "X" : after.substring(0, 1);
  }
}
