// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.SettingsReader;
import dev.sandgate.support.agent.AgentTuning;
import dev.sandgate.support.pool.PoolBounds;
import dev.sandgate.support.spawner.SpawnerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The backend's settings, below {@code backend.container.}.
 *
 * @param provider who makes blanks: {@code native} or {@code oci}
 * @param runtime of the {@code oci} provider: {@code crun} or {@code runc}
 * @param spawner how to start and find the spawner: {@code spawner}, {@code agent}, {@code run}, {@code uid-base}, {@code
 *     cgroup-name}; the binaries default to those in the directory of the system property {@code sandgate.native}
 * @param limits what a sandbox may use that asks for nothing: {@code cpu-millis}, {@code memory-bytes}, {@code pids}, {@code
 *     disk-bytes}, {@code open-files}, {@code inodes}; 0 is no limit
 * @param diskReserved {@code disk-reserved}: whether a limit of disk takes the room at once, so that it is there when it is
 *     wanted; otherwise limits may be more than the disk
 * @param tuning when a silent agent is given up: {@code probe-millis}, {@code probe-misses}
 * @param pool of blanks made ahead, below {@code pool.}: {@code min} and {@code max} of them, {@code memory-bytes} that they may
 *     take together; {@code max} 0 is no pool
 * @param threads event loops for the agents' connections
 * @param keepLayers how long the mount of a layer is kept that no sandbox stands on: {@code keep-layers-millis}
 */
record ContainerSettings(
    Provider provider,
    String runtime,
    SpawnerSettings spawner,
    ResourceLimits limits,
    boolean diskReserved,
    AgentTuning tuning,
    PoolBounds pool,
    int threads,
    Duration keepLayers) {

  /** Who makes blank sandboxes. */
  enum Provider {
    NATIVE,
    OCI
  }

  private static final long MEMORY_BYTES = 2L << 30;
  private static final int PIDS = 1024;
  private static final int CPU_MILLIS = 2000;
  private static final long KEEP_LAYERS_MILLIS = 600_000;
  private static final int UID_BASE = 100_000;
  private static final int POOL_MOST = 100_000;
  private static final int POOL_MIN = 4;
  private static final int POOL_MAX = 0;
  private static final long POOL_MEMORY_BYTES = 128L << 20;

  static ContainerSettings of(BackendContext context) {
    SettingsReader read = new SettingsReader("container", context.settings());
    ContainerSettings settings =
        new ContainerSettings(
            read.oneOf(
                "provider", Map.of("native", Provider.NATIVE, "oci", Provider.OCI), "native"),
            read.oneOf("runtime", Map.of("crun", "crun", "runc", "runc"), "crun"),
            spawner(context, read),
            limits(read),
            read.oneOf("disk-reserved", Map.of("true", true, "false", false), "true"),
            tuning(read),
            pool(read),
            (int) read.number("threads", 1, 64, usualThreads()),
            Duration.ofMillis(
                read.number("keep-layers-millis", 1, 86_400_000, KEEP_LAYERS_MILLIS)));
    read.refuseUnknown();
    return settings;
  }

  private static int usualThreads() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
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
      throw new SandgateException(ErrorCode.INVALID_CONFIG, "backend.container." + e.getMessage());
    }
  }

  private static ResourceLimits limits(SettingsReader read) {
    return new ResourceLimits(
        (int) read.number("cpu-millis", 0, Integer.MAX_VALUE, CPU_MILLIS),
        read.number("memory-bytes", 0, Long.MAX_VALUE, MEMORY_BYTES),
        (int) read.number("pids", 0, Integer.MAX_VALUE, PIDS),
        read.number("disk-bytes", 0, Long.MAX_VALUE, 0),
        (int) read.number("open-files", 0, Integer.MAX_VALUE, 0),
        read.number("inodes", 0, Integer.MAX_VALUE, 0));
  }

  private static AgentTuning tuning(SettingsReader read) {
    AgentTuning usual = AgentTuning.DEFAULT;
    long millis = read.number("probe-millis", 10, 600_000, usual.probeInterval().toMillis());
    return new AgentTuning(
        Duration.ofMillis(millis), (int) read.number("probe-misses", 1, 100, usual.probeMisses()));
  }

  private static PoolBounds pool(SettingsReader read) {
    int max = (int) read.number("pool.max", 0, POOL_MOST, POOL_MAX);
    int min = (int) read.number("pool.min", 0, POOL_MOST, Math.min(POOL_MIN, max));
    if (min > max) {
      throw new SandgateException(
          ErrorCode.INVALID_CONFIG,
          "backend.container.pool.min: must not be above pool.max, which is " + max);
    }
    return new PoolBounds(
        min, max, read.number("pool.memory-bytes", 0, Long.MAX_VALUE, POOL_MEMORY_BYTES));
  }

  /** What a sandbox gets that asks for this: its own wish where it has one. */
  ResourceLimits limitsFor(ResourceLimits wanted) {
    return new ResourceLimits(
        wanted.cpuMillis() == 0 ? limits.cpuMillis() : wanted.cpuMillis(),
        wanted.memoryBytes() == 0 ? limits.memoryBytes() : wanted.memoryBytes(),
        wanted.pids() == 0 ? limits.pids() : wanted.pids(),
        wanted.diskBytes() == 0 ? limits.diskBytes() : wanted.diskBytes(),
        wanted.openFiles() == 0 ? limits.openFiles() : wanted.openFiles(),
        wanted.inodes() == 0 ? limits.inodes() : wanted.inodes());
  }
}
