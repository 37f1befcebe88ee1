// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.Reclaimed;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.spi.Usage;
import dev.sandgate.support.wire.Errno;
import dev.sandgate.support.wire.FieldReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The resident helper that makes sandboxes: every call is one question and one answer, blocking, for virtual threads.
 * Started when it does not run; it outlives this object and the process.
 *
 * <p>Every method throws {@link SpawnerException} when the spawner refuses or cannot be reached.
 */
public final class Spawner implements AutoCloseable {

  private static final int INFO = 0x01;
  private static final int CREATE = 0x02;
  private static final int ACTIVATE = 0x03;
  private static final int DESTROY = 0x04;
  private static final int LIST = 0x05;
  private static final int LIMITS = 0x06;
  private static final int USAGE = 0x07;
  private static final int FREEZE = 0x08;
  private static final int FORGET_LAYER = 0x09;
  private static final int ADOPT_BLANK = 0x0a;
  private static final int STOP = 0x0b;
  private static final int CHANGES = 0x0c;
  private static final int STAGE = 0x0d;
  private static final int LIST_LAYER = 0x0e;
  private static final int DISCARD = 0x0f;
  private static final int DISK = 0x10;
  private static final int TRY_DISK = 0x11;
  private static final int RECLAIM = 0x12;
  private static final int DESTROY_ATTEMPTS = 6;

  private final SpawnerPool pool;
  private final Path run;

  /**
   * Starts nothing yet.
   *
   * @param settings how to start it and where it is found
   */
  public Spawner(SpawnerSettings settings) {
    this.pool = new SpawnerPool(settings);
    this.run = settings.run();
  }

  /**
   * What a spawner says about itself.
   *
   * @param version of its protocol
   * @param pid on the host
   * @param uidBase first host uid of the sandboxes
   * @param controllers found, each {@code v1:} or {@code v2:} and the name
   * @param build identity of its program
   */
  public record Info(long version, int pid, int uidBase, List<String> controllers, String build) {

    /** Freezes the list. */
    public Info {
      controllers = List.copyOf(controllers);
    }
  }

  /**
   * A sandbox, or a blank, found by its cgroup.
   *
   * @param id which sandbox it is; of a blank its name
   * @param pid of its agent on the host, 0 when that is dead
   * @param name as given to {@link #create}, and as every other call wants it
   */
  public record Found(String id, int pid, String name) {

    private static Found read(FieldReader f) {
      String name = f.str();
      int pid = f.i32();
      String owner = f.str();
      return new Found(owner.isEmpty() ? name : owner, pid, name);
    }
  }

  /** Asks the spawner who it is, starting it when it does not run. */
  public Info info() {
    FieldReader f = pool.ask(INFO, w -> {});
    return new Info(f.u32(), f.i32(), f.i32(), f.list(), f.str());
  }

  /**
   * Makes a blank: namespaces, cgroups, an agent that listens.
   *
   * @return host pid of the agent
   */
  public int create(Blank blank) {
    return pool.ask(
            CREATE,
            w ->
                w.str(blank.id())
                    .u8(blank.bestEffort() ? 1 : 0)
                    .u32(blank.cpuMillis())
                    .u64(blank.memoryBytes())
                    .u32(blank.pids()))
        .i32();
  }

  /** Gives a blank its root. After a failure the blank is gone. */
  public void activate(Activation activation) {
    pool.ask(
        ACTIVATE,
        w -> {
          w.str(activation.id())
              .u32(activation.pid())
              .str(activation.upper())
              .u64(activation.disk().bytes())
              .list(activation.layers())
              .str(activation.hostname());
          if (activation.disk().bytes() != 0 || activation.becoming() != null) {
            w.str(activation.disk().template()).u8(activation.disk().reserved() ? 1 : 0);
          }
          if (activation.becoming() != null) {
            activation.becoming().write(w);
          }
        });
  }

  /**
   * Kills a sandbox and removes every trace of it. Idempotent; waits for processes that take their time to die.
   *
   * @param id of the sandbox
   * @param upper its directory, or empty
   * @return what it used in all; empty when it was gone before, or the spawner is of an earlier version
   */
  public Optional<Usage> destroy(String id, String upper) {
    for (int attempt = 1; ; attempt++) {
      try {
        FieldReader f = pool.ask(DESTROY, w -> w.str(id).str(upper));
        return f.atEnd() ? Optional.empty() : Optional.of(usage(f));
      } catch (SpawnerException e) {
        if (e.errno() != Errno.EBUSY || attempt == DESTROY_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Every sandbox there is, found from the kernel. */
  public List<Found> list() {
    FieldReader f = pool.ask(LIST, w -> {});
    int count = f.u16();
    List<Found> found = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      found.add(Found.read(f));
    }
    return found;
  }

  /** Changes limits; 0 is none. */
  public void limits(String id, int cpuMillis, long memoryBytes, int pids) {
    pool.ask(LIMITS, w -> w.str(id).u32(cpuMillis).u64(memoryBytes).u32(pids));
  }

  /** What a sandbox used. */
  public Usage usage(String id) {
    return usage(pool.ask(USAGE, w -> w.str(id)));
  }

  private static Usage usage(FieldReader f) {
    Usage usage =
        new Usage(Duration.of(f.u64(), ChronoUnit.MICROS), f.u64(), f.u64(), f.i32(), f.u64());
    boolean known = !f.atEnd() && f.u8() == 1;
    return known ? usage.withStorage(new Usage.Storage(f.u64(), f.u64())) : usage;
  }

  /**
   * How full a limited sandbox's upper directory is; ENOENT when it has no limit.
   *
   * @param upper its directory
   */
  public DiskRoom disk(String upper) {
    return DiskRoom.read(pool.ask(DISK, w -> w.str(upper)));
  }

  /**
   * Makes an upper directory with a limit and removes it, to see whether this host can.
   *
   * @param upper name of the directory
   * @param template in {@code uppers/.templates}
   */
  public DiskRoom tryDisk(String upper, String template) {
    FieldReader free = pool.ask(TRY_DISK, w -> w.str(upper).str(template));
    return new DiskRoom(0, free.u64(), 0, free.u64());
  }

  /** Stops or lets go all processes of a sandbox; returns when the state is reached. */
  public void freeze(String id, boolean on) {
    pool.ask(FREEZE, w -> w.str(id).u8(on ? 1 : 0));
  }

  /** Gives the memory of a sandbox that stands still to the host's swap; stops when the sandbox goes on. */
  public Reclaimed reclaim(String id) {
    FieldReader f = pool.ask(RECLAIM, w -> w.str(id));
    return new Reclaimed(f.u64(), f.u64());
  }

  /** Drops the mount of an image that nobody will name again. */
  public void forgetLayer(String image) {
    pool.ask(FORGET_LAYER, w -> w.str(image));
  }

  /** Puts a blank that an OCI runtime made into the cgroups of a sandbox. */
  public void adoptBlank(String id, int pid) {
    pool.ask(ADOPT_BLANK, w -> w.str(id).u32(pid));
  }

  /**
   * One page of what a sandbox wrote in one directory.
   *
   * @param upper its directory
   * @param layers it was activated with
   * @param directory below the root, without slashes at its ends; empty for the root
   * @param position where the page before ended, or 0
   */
  public ChangesPage changes(String upper, List<String> layers, String directory, long position) {
    FieldReader answer =
        pool.ask(CHANGES, w -> w.str(upper).str(directory).u64(position).list(layers));
    return ChangesPage.read(answer);
  }

  /**
   * Copies what a sandbox wrote, which stands still meanwhile.
   *
   * @param id of the sandbox
   * @param upper its directory
   * @param name of the copy, in {@code uppers/.staging}
   * @param limits how much it may be
   */
  public Staged stage(String id, String upper, String name, SnapshotLimits limits) {
    FieldReader f =
        pool.ask(
            STAGE, w -> w.str(id).str(upper).str(name).u64(limits.bytes()).u64(limits.entries()));
    return new Staged(f.u64(), f.u64(), f.u64(), Duration.ofMillis(f.u64()));
  }

  /**
   * Tells what is in a layer; the list goes to {@code uppers/.staging/<name>.list}.
   *
   * @param image of the layer
   * @param name of the list, without its suffix
   */
  public Manifest listLayer(String image, String name) {
    FieldReader f = pool.ask(LIST_LAYER, w -> w.str(image).str(name));
    return new Manifest(f.str(), f.u64(), f.u64());
  }

  /** Throws away what {@link #stage} and {@link #listLayer} made under a name. */
  public void discard(String name) {
    pool.ask(DISCARD, w -> w.str(name));
  }

  /** Ends the spawner; sandboxes live on. */
  public void stop() {
    pool.ask(STOP, w -> {});
  }

  /** Ends a spawner that runs and has no sandbox, and removes its run directory. */
  public void stopIfUnused() {
    if (pool.isRunning() && list().isEmpty()) {
      stop();
      RunDirectory.remove(run);
    }
  }

  /** Closes the connections; the spawner stays. */
  @Override
  public void close() {
    pool.close();
  }
}
