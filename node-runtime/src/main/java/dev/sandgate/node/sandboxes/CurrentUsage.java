// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxUsage;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Usage;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What a running sandbox uses right now. */
final class CurrentUsage {

  private static final long USAGE_MILLIS = 5_000;

  private CurrentUsage() {}

  /** Asks the backend; empty when it ends or is reset meanwhile, which its record then tells. Blocks. */
  static Optional<SandboxUsage> of(LiveSandbox live) {
    long epoch = live.epoch();
    try {
      return Optional.of(shown(Blocking.await(live.running().usage(), USAGE_MILLIS)));
    } catch (SandgateException e) {
      if (live.isRunning() && live.epoch() == epoch) {
        awaitEnd(live, e);
      }
      return Optional.empty();
    }
  }

  /** A record with what it uses, unless it has ended since that was asked for. */
  static Sandbox shown(Sandbox record, Optional<SandboxUsage> usage) {
    return usage
        .filter(_ -> Lifecycle.takesCommands(record.getState()))
        .map(used -> record.toBuilder().setUsage(used).build())
        .orElse(record);
  }

  /** The backend knew of the end first: it is about to be recorded. */
  private static void awaitEnd(LiveSandbox live, SandgateException lost) {
    if (lost.code() != ErrorCode.SANDBOX_LOST) {
      throw lost;
    }
    Blocking.await(live.ended(), USAGE_MILLIS);
  }

  private static SandboxUsage shown(Usage usage) {
    SandboxUsage.Builder shown =
        SandboxUsage.newBuilder()
            .setCpuMicros(TimeUnit.NANOSECONDS.toMicros(usage.cpu().toNanos()))
            .setMemoryBytes(usage.memoryBytes())
            .setPeakMemoryBytes(usage.peakMemoryBytes())
            .setProcesses(usage.processes())
            .setOomKills(usage.outOfMemoryKills());
    if (usage.diskBytes() != Usage.UNKNOWN) {
      shown.setDiskBytes(usage.diskBytes());
    }
    if (usage.inodes() != Usage.UNKNOWN) {
      shown.setInodes(usage.inodes());
    }
    return shown.build();
  }
}
