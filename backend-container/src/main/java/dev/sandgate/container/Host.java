// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.support.agent.AgentConnection;
import dev.sandgate.support.agent.AgentLoop;
import dev.sandgate.support.host.AgentView;
import dev.sandgate.support.host.CgroupMounts;
import dev.sandgate.support.host.ProcFile;
import dev.sandgate.support.layers.LayerLinks;
import dev.sandgate.support.layers.LayerMounts;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerException;
import dev.sandgate.support.wire.Errno;
import io.smallrye.mutiny.Uni;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all sandboxes of a backend share: the spawner, the agents' event loops, virtual threads. */
final class Host implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Host.class);
  private static final int STEP_LAYER = 15;
  private static final int STEP_UPPER = 16;
  private static final int STEP_OVERLAY = 17;
  private static final int STEP_CGROUP = 3;
  private static final int STEP_ENTER = 18;
  private static final int STEP_SWITCH = 20;
  private static final Set<Integer> OF_THE_BLANK = Set.of(STEP_CGROUP, STEP_ENTER, STEP_SWITCH);
  private static final int STEP_VERIFY = 19;
  private static final int STEP_TREE = 24;
  private static final int EOPNOTSUPP = 95;
  private static final Set<Integer> UNSEALABLE =
      Set.of(Errno.EFBIG, Errno.E2BIG, Errno.ENAMETOOLONG, Errno.EXDEV);

  private final ContainerSettings settings;
  private final Spawner spawner;
  private final Blanks blanks;
  private final Ahead ahead;
  private final LayerMounts layers;
  private final ImageTemplates templates;
  private final Reclaims reclaims;
  private final AgentLoop loop;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("container-", 0).factory());
  private final CgroupMounts mounts = CgroupMounts.read();
  private volatile boolean closed;

  Host(ContainerSettings settings) {
    this.settings = settings;
    this.spawner = new Spawner(settings.spawner());
    this.blanks =
        switch (settings.provider()) {
          case NATIVE -> new NativeBlanks(spawner);
          case OCI -> new OciBlanks(settings, spawner);
        };
    this.layers =
        new LayerMounts(
            new LayerLinks(settings.spawner().state()),
            spawner::forgetLayer,
            settings.keepLayers(),
            threads);
    this.templates =
        new ImageTemplates(
            settings.spawner().state().resolve("uppers/.templates"),
            () -> ProcFile.onPath("mkfs.ext4"));
    this.reclaims = new Reclaims(spawner);
    this.ahead = new Ahead(this);
    this.loop = new AgentLoop("container-agents", settings.threads(), settings.tuning());
  }

  ContainerSettings settings() {
    return settings;
  }

  Spawner spawner() {
    return spawner;
  }

  Blanks blanks() {
    return blanks;
  }

  /** Blanks made ahead. */
  Ahead ahead() {
    return ahead;
  }

  LayerMounts layers() {
    return layers;
  }

  ImageTemplates templates() {
    return templates;
  }

  Reclaims reclaims() {
    return reclaims;
  }

  /** Whether the backend was closed, so that a hang-up says nothing about a sandbox. */
  boolean isClosed() {
    return closed;
  }

  /** Connects to the agent of a sandbox, which has this pid on the host. */
  Uni<AgentConnection> connect(String id, int pid, Duration within) {
    return loop.connect(settings.spawner().agentSocket(id), within, AgentView.of(mounts, pid));
  }

  /** Runs a task on a virtual thread. */
  void run(Runnable task) {
    threads.execute(task);
  }

  /** The result of blocking work on a virtual thread; a refusal of the spawner becomes the caller's error. */
  <T> Uni<T> call(Callable<T> work) {
    return Uni.createFrom()
        .emitter(
            emitter ->
                run(
                    () -> {
                      try {
                        emitter.complete(work.call());
                      } catch (Exception e) {
                        emitter.fail(explain(e));
                      }
                    }));
  }

  /** Where a sandbox keeps what it writes, below the state directory. */
  static String upper(String id) {
    return "uppers/" + id;
  }

  /** Where the spawner puts copies that are to become layers. */
  Path staging(String name) {
    return settings.spawner().state().resolve("uppers/.staging").resolve(name);
  }

  /** The error for the caller of something that failed. */
  SandgateException explain(Throwable failure) {
    return switch (failure) {
      case SandgateException known -> known;
      case SpawnerException refused ->
          new SandgateException(code(refused), field(refused), message(refused), refused);
      default ->
          new SandgateException(
              ErrorCode.INTERNAL, "", String.valueOf(failure.getMessage()), failure);
    };
  }

  /** Whether a blank did not become a sandbox because of itself: another one may. */
  static boolean isBlanksFault(RuntimeException failure) {
    return switch (failure) {
      case SandgateException known -> known.code() == ErrorCode.SANDBOX_LOST;
      case SpawnerException refused ->
          OF_THE_BLANK.contains(refused.step())
              || (refused.step() == STEP_UPPER && refused.errno() == Errno.EEXIST);
      default -> false;
    };
  }

  private static ErrorCode code(SpawnerException refused) {
    if (refused.isUnreachable()) {
      return ErrorCode.BACKEND_UNAVAILABLE;
    }
    return switch (refused.errno()) {
      case Errno.ENOSPC, Errno.EDQUOT, Errno.ENOMEM, Errno.EAGAIN, Errno.EMFILE, Errno.ENFILE ->
          ErrorCode.RESOURCE_EXHAUSTED;
      case EOPNOTSUPP -> ErrorCode.INVALID_ARGUMENT;
      default ->
          switch (refused.step()) {
            case STEP_VERIFY -> ErrorCode.ROOTFS_UNSAFE;
            case STEP_LAYER -> ErrorCode.INVALID_ARGUMENT;
            case STEP_TREE ->
                UNSEALABLE.contains(refused.errno())
                    ? ErrorCode.FAILED_PRECONDITION
                    : ErrorCode.INTERNAL;
            default -> ErrorCode.INTERNAL;
          };
    };
  }

  /** Elsewhere ENOSPC is about a limit of the kernel, not about a disk. */
  private static boolean isFull(SpawnerException refused) {
    boolean writing = Set.of(STEP_UPPER, STEP_OVERLAY, STEP_TREE).contains(refused.step());
    return writing && (refused.errno() == Errno.ENOSPC || refused.errno() == Errno.EDQUOT);
  }

  private static String field(SpawnerException refused) {
    if (refused.errno() == EOPNOTSUPP) {
      return "limits.disk_bytes";
    }
    return refused.step() == STEP_LAYER ? "layers" : tooMuch(refused);
  }

  /** The limit of a copy that was met, if one was. */
  private static String tooMuch(SpawnerException refused) {
    if (refused.step() != STEP_TREE) {
      return "";
    }
    return switch (refused.errno()) {
      case Errno.EFBIG -> SnapshotLimits.BYTES;
      case Errno.E2BIG -> SnapshotLimits.ENTRIES;
      default -> "";
    };
  }

  private String message(SpawnerException refused) {
    if (isFull(refused)) {
      return "no space left on %s, where sandboxes write; free some or remove sandboxes (%s)"
          .formatted(settings.spawner().state().resolve("uppers"), refused.getMessage());
    }
    String limit = tooMuch(refused);
    if (!limit.isEmpty()) {
      return limit + ": " + refused.getMessage() + "; delete some of it, or allow more";
    }
    return refused.errno() == EOPNOTSUPP
        ? "limits.disk_bytes: this node cannot limit what a sandbox writes; leave it out"
        : "spawner: " + refused.getMessage();
  }

  @Override
  public void close() {
    closed = true;
    ahead.close();
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
