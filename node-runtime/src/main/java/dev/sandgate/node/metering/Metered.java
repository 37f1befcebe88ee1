// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.Times;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.Sandbox;

/**
 * A sandbox with its meter.
 *
 * @param live the sandbox
 * @param meter what it used
 */
record Metered(LiveSandbox live, SandboxMeter meter) {

  boolean lives() {
    return !live.secret().hasEndedAt();
  }

  /** Everything about it, at a time in milliseconds since the epoch. */
  Meter shown(long now) {
    Sandbox record = live.secret();
    long until = record.hasEndedAt() ? Times.millis(record.getEndedAt()) : now;
    Meter.Builder shown =
        Meter.newBuilder()
            .setKey(live.id())
            .setSandboxes(1)
            .setLiving(record.hasEndedAt() ? 0 : 1)
            .setWallMillis(Math.max(0, until - Times.millis(record.getReadyAt())))
            .setPausedMillis(pausedMillis(record, until))
            .setState(record.getState())
            .setQosClass(record.getSpec().getQosClass());
    meter.show(shown);
    return shown.build();
  }

  private static long pausedMillis(Sandbox record, long until) {
    long now = record.hasPausedAt() ? Math.max(0, until - Times.millis(record.getPausedAt())) : 0;
    return record.getPausedMillis() + now;
  }
}
