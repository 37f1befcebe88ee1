// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.support.agent.GuestView;
import io.smallrye.mutiny.Uni;

/**
 * A sandbox as its agent's process and its memory cgroup show it.
 *
 * @param kills of its memory cgroup
 * @param pid of the agent on the host
 */
record AgentView(OomCounter kills, int pid) implements GuestView {

  private static final String RUNNABLE = "R";

  static AgentView of(CgroupMounts mounts, int pid) {
    return new AgentView(OomCounter.of(mounts, pid), pid);
  }

  @Override
  public Uni<Long> memoryKills() {
    return Uni.createFrom().item(kills::read);
  }

  /** The state after the name in {@code /proc/PID/stat}; the name may hold spaces and brackets. */
  @Override
  public boolean waitsForCpu() {
    String stat = ProcFile.text("/proc/" + pid + "/stat");
    return stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith(RUNNABLE);
  }
}
