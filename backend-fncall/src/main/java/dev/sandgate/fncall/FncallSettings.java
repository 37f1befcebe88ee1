// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.SettingsReader;
import dev.sandgate.support.spawner.SpawnerSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The backend's settings, below {@code backend.fncall.}.
 *
 * @param nodeId part of the workers' names
 * @param spawner how to start and find its spawner, which is its own: as for the container backend
 * @param bounds of the pool: {@code workers}, {@code idle-workers} per environment, {@code waiting}, {@code keep-millis}
 * @param usual what a worker may use: {@code memory-bytes}, {@code cpu-millis}, {@code pids}
 */
record FncallSettings(
    String nodeId, SpawnerSettings spawner, WorkerPool.Bounds bounds, WorkerLimits usual) {

  private static final int UID_BASE = 200_000;

  /**
   * What a worker may use.
   *
   * @param memoryBytes of all its processes
   * @param cpuMillis thousandths of a core, 0 for no limit
   * @param pids processes and threads
   */
  record WorkerLimits(long memoryBytes, int cpuMillis, int pids) {}

  static FncallSettings of(BackendContext context) {
    SettingsReader read = new SettingsReader("fncall", context.settings());
    FncallSettings settings =
        new FncallSettings(context.nodeId(), spawner(context, read), bounds(read), limits(read));
    read.refuseUnknown();
    return settings;
  }

  private static SpawnerSettings spawner(BackendContext context, SettingsReader read) {
    Path state = context.stateDirectory().toAbsolutePath();
    String mark = Integer.toHexString(state.toString().hashCode());
    Path binaries = Path.of(System.getProperty("sandgate.native", "/usr/lib/sandgate"));
    try {
      return new SpawnerSettings(
          read.path("spawner", binaries.resolve("spawner")),
          read.path("agent", binaries.resolve("agent")),
          read.path("run", Path.of("/run/sandgate-" + mark)),
          state,
          (int) read.number("uid-base", 65_536, Integer.MAX_VALUE - 65_536, UID_BASE),
          read.text("cgroup-name", "sandgate-" + mark));
    } catch (IllegalArgumentException e) {
      throw new SandgateException(ErrorCode.INVALID_CONFIG, "backend.fncall." + e.getMessage());
    }
  }

  private static WorkerPool.Bounds bounds(SettingsReader read) {
    int cpus = Runtime.getRuntime().availableProcessors();
    return new WorkerPool.Bounds(
        (int) read.number("workers", 1, 10_000, Math.max(8, 4L * cpus)),
        (int) read.number("idle-workers", 1, 10_000, Math.max(4, 2L * cpus)),
        (int) read.number("waiting", 0, 1_000_000, 4_096),
        Duration.ofMillis(read.number("keep-millis", 1, 86_400_000, 60_000)));
  }

  private static WorkerLimits limits(SettingsReader read) {
    return new WorkerLimits(
        read.number("memory-bytes", 16L << 20, 1L << 50, 512L << 20),
        (int) read.number("cpu-millis", 0, Integer.MAX_VALUE, 0),
        (int) read.number("pids", 8, 1_000_000, 256));
  }
}
