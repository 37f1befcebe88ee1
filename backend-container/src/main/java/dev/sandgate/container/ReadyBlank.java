// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.support.Undo;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.pool.Spare;
import dev.sandgate.support.spawner.Blank;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A blank that waits for a sandbox to become, its agent greeted. */
final class ReadyBlank implements Spare {

  private static final Logger LOG = LoggerFactory.getLogger(ReadyBlank.class);
  private static final Duration GREETING = Duration.ofSeconds(20);
  private static final int NAME_LENGTH = 18;

  /** What the kernel charges to no cgroup, or to another one: its network namespace, mounts and cgroup directories. */
  private static final long UNCHARGED_BYTES = 640 << 10;

  private final Host host;
  private final Blank blank;
  private final int pid;
  private final AgentConnection agent;
  private final long memoryBytes;

  private ReadyBlank(Host host, Blank blank, int pid, AgentConnection agent) {
    this.host = host;
    this.blank = blank;
    this.pid = pid;
    this.agent = agent;
    this.memoryBytes = host.spawner().usage(blank.id()).memoryBytes() + UNCHARGED_BYTES;
  }

  /** Makes one with a name that no other ever has; blocks. After a failure nothing is left. */
  static ReadyBlank make(Host host, BlankKind kind) {
    String name = "blank-" + UUID.randomUUID().toString().substring(0, NAME_LENGTH);
    ResourceLimits usual = host.settings().limits();
    Blank blank =
        new Blank(name, kind.bestEffort(), usual.cpuMillis(), usual.memoryBytes(), usual.pids());
    Undo undo = new Undo();
    try {
      int pid = host.blanks().make(blank, undo);
      AgentConnection agent = host.connect(name, pid, GREETING).await().indefinitely();
      undo.push("agent of " + name, agent::close);
      return new ReadyBlank(host, blank, pid, agent);
    } catch (RuntimeException e) {
      throw undo.runBecause(host.explain(e));
    }
  }

  String name() {
    return blank.id();
  }

  /** Of its agent, on the host. */
  int pid() {
    return pid;
  }

  AgentConnection agent() {
    return agent;
  }

  /** Whether it was made with other limits than these. */
  boolean differs(Blank wanted) {
    return wanted.cpuMillis() != blank.cpuMillis()
        || wanted.memoryBytes() != blank.memoryBytes()
        || wanted.pids() != blank.pids();
  }

  @Override
  public boolean isUsable() {
    return !agent.lost().isDone();
  }

  @Override
  public long memoryBytes() {
    return memoryBytes;
  }

  @Override
  public void destroy() {
    try {
      agent.close(name() + " is not wanted any more");
      host.spawner().destroy(name(), "");
    } catch (RuntimeException e) {
      LOG.error("{} could not be removed", name(), e);
    }
  }
}
