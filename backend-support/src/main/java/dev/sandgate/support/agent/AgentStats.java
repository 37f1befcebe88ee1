// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.support.wire.FieldReader;
import java.time.Duration;

/**
 * What a guest counts.
 *
 * @param processes alive, the agent not among them
 * @param execs known, ended ones included
 * @param uptime of the guest
 */
public record AgentStats(long processes, long execs, Duration uptime) {

  static AgentStats of(Frame frame) {
    FieldReader fields = frame.fields();
    AgentStats stats = new AgentStats(fields.u32(), fields.u32(), Duration.ofMillis(fields.u64()));
    fields.end();
    return stats;
  }
}
