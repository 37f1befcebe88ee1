// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.agent.AgentLoop;
import dev.sandgate.support.agent.AgentTuning;
import dev.sandgate.support.host.AgentView;
import dev.sandgate.support.host.CgroupMounts;
import dev.sandgate.support.layers.LayerLinks;
import dev.sandgate.support.layers.LayerMounts;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerException;
import dev.sandgate.support.wire.Errno;
import io.smallrye.mutiny.Uni;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What workers are made with: a spawner, mounts of layers, connections to agents, threads. */
final class Host implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Host.class);
  private static final Duration KEEP_LAYERS = Duration.ofMinutes(1);
  private static final Duration GREETING = Duration.ofSeconds(20);
  private static final int STEP_LAYER = 15;
  private static final int STEP_VERIFY = 19;

  private final FncallSettings settings;
  private final Spawner spawner;
  private final AgentLoop loop;
  private final LayerMounts layers;
  private final CgroupMounts mounts = CgroupMounts.read();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("fncall-", 0).factory());

  Host(FncallSettings settings) {
    this.settings = settings;
    this.spawner = new Spawner(settings.spawner());
    this.layers =
        new LayerMounts(
            new LayerLinks(settings.spawner().state()), spawner::forgetLayer, KEEP_LAYERS, threads);
    int cpus = Runtime.getRuntime().availableProcessors();
    this.loop = new AgentLoop("fncall-agents", Math.max(1, cpus / 2), AgentTuning.DEFAULT);
  }

  FncallSettings settings() {
    return settings;
  }

  Spawner spawner() {
    return spawner;
  }

  LayerMounts layers() {
    return layers;
  }

  ExecutorService threads() {
    return threads;
  }

  /** The worker whose agent has this pid, as its cgroup shows it. */
  AgentView view(int pid) {
    return AgentView.of(mounts, pid);
  }

  Uni<AgentConnection> connect(String id, AgentView view) {
    return loop.connect(settings.spawner().agentSocket(id), GREETING, view);
  }

  /** Where a worker keeps what it writes, below the state directory. */
  static String upper(String id) {
    return "uppers/" + id;
  }

  /** Whether an earlier run may have left something. */
  boolean wasUsed() {
    return Files.exists(settings.spawner().run())
        || Files.exists(settings.spawner().state().resolve("uppers"));
  }

  /** The error for the caller of something that failed. */
  static SandgateException explain(Throwable failure) {
    return switch (failure) {
      case SandgateException known -> known;
      case SpawnerException refused ->
          new SandgateException(code(refused), "", "spawner: " + refused.getMessage(), refused);
      default ->
          new SandgateException(
              ErrorCode.INTERNAL, "", String.valueOf(failure.getMessage()), failure);
    };
  }

  private static ErrorCode code(SpawnerException refused) {
    if (refused.isUnreachable()) {
      return ErrorCode.BACKEND_UNAVAILABLE;
    }
    return switch (refused.errno()) {
      case Errno.ENOSPC, Errno.EDQUOT, Errno.ENOMEM, Errno.EAGAIN, Errno.EMFILE, Errno.ENFILE ->
          ErrorCode.RESOURCE_EXHAUSTED;
      default ->
          switch (refused.step()) {
            case STEP_VERIFY -> ErrorCode.ROOTFS_UNSAFE;
            case STEP_LAYER -> ErrorCode.INVALID_ARGUMENT;
            default -> ErrorCode.INTERNAL;
          };
    };
  }

  /** To be called when no worker is left. */
  @Override
  public void close() {
    layers.close();
    loop.close();
    try {
      spawner.stopIfUnused();
    } catch (SpawnerException e) {
      LOG.warn("the spawner stays", e);
    }
    spawner.close();
    threads.shutdown();
  }
}
