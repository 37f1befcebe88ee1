// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.disk;

import static dev.sandgate.node.config.Setting.check;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Disk space that new sandboxes must leave free, on the file system of the node's data directory and on every one that is mounted
 * below it. Safe for any thread.
 */
public final class DiskReserve {

  private static final String SETTING = "node.disk-reserve-bytes";
  private static final long USUAL_MOST = 1L << 30;
  private static final long USUAL_SHARE = 20;
  private static final int MOUNT_PLACE = 4;
  private static final String WRITTEN = "that are to be written";

  private final OptionalLong wanted;
  private final List<Disk> disks = new ArrayList<>();
  private final AtomicLong held = new AtomicLong();

  private record Disk(Path place, FileStore store) {}

  /**
   * Looks at what is mounted; blocks.
   *
   * @param settings with {@code node.disk-reserve-bytes}: by default a twentieth of each file system, at most 1 GiB; 0 for none
   * @param data the node's data directory
   */
  public DiskReserve(Map<String, String> settings, Path data) {
    String value = settings.getOrDefault(SETTING, "");
    check(value.matches("\\d{0,18}"), SETTING, "give a whole number of bytes, 0 for none");
    wanted = value.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    try {
      Path real = data.toRealPath();
      disks.add(new Disk(real, Files.getFileStore(real)));
      for (Path place : mountedBelow(real)) {
        disks.add(new Disk(place, Files.getFileStore(place)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> mountedBelow(Path data) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
      return lines
          .map(line -> line.split(" ", -1)[MOUNT_PLACE].replace("\\040", " "))
          .map(Path::of)
          .filter(place -> place.startsWith(data) && !place.equals(data))
          .toList();
    }
  }

  /** Room for what is being made; to be closed when it has taken its room, or was given up. */
  public interface Hold extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Keeps room for something that is being made, so that others that are made meanwhile do not count on it too. Blocks for a
   * moment.
   *
   * @param bytes that it may write
   * @throws SandgateException RESOURCE_EXHAUSTED when less than the reserve would be left of some file system
   */
  public Hold hold(long bytes) {
    long others = held.getAndAdd(bytes);
    try {
      for (Disk disk : disks) {
        require(disk, bytes, others, "of limits.disk_bytes");
      }
      return () -> held.addAndGet(-bytes);
    } catch (RuntimeException e) {
      held.addAndGet(-bytes);
      throw e;
    }
  }

  /** Room below one directory, for what is written there little by little. */
  @FunctionalInterface
  public interface Room {
    /**
     * RESOURCE_EXHAUSTED when less than the reserve would be left after so many bytes more. Blocks for a moment.
     */
    void require(long bytes);

    /**
     * Promises room for what is to be written at once: nobody else counts on it. RESOURCE_EXHAUSTED when there is not so much. Blocks
     * for a moment.
     */
    default Share share(long bytes) {
      require(bytes);
      return new Share(this, bytes, () -> {});
    }

    /**
     * Promises room for something whose size will only be seen: up to half of what nobody was promised, so that another half is
     * there for others, and for what is made of it. Blocks for a moment.
     */
    default Share part(long most) {
      return new Share(this, most, () -> {});
    }
  }

  /**
   * Room that was promised, until it is closed; its own promise is not in the way of what is written within it.
   *
   * @param room to watch what is written into it
   * @param bytes that were promised; 0 when there are none
   */
  public record Share(Room room, long bytes, Hold hold) implements AutoCloseable {
    @Override
    public void close() {
      hold.close();
    }
  }

  /** The room below a directory that is there. */
  public Room room(Path directory) {
    return new Watched(disk(directory), 0);
  }

  /** Room of a file system; who was promised some of it is not kept from it. */
  private final class Watched implements Room {
    private final Disk disk;
    private final long own;

    Watched(Disk disk, long own) {
      this.disk = disk;
      this.own = own;
    }

    @Override
    public void require(long bytes) {
      DiskReserve.this.require(disk, bytes, held.get() - own, WRITTEN);
    }

    @Override
    public Share share(long bytes) {
      long others = held.getAndAdd(bytes);
      try {
        DiskReserve.this.require(disk, bytes, others - own, WRITTEN);
        return promised(bytes);
      } catch (RuntimeException e) {
        held.addAndGet(-bytes);
        throw e;
      }
    }

    @Override
    public Share part(long most) {
      while (true) {
        long others = held.get();
        long left = free(disk, others - own) - reserve(disk);
        long bytes = Math.clamp(left / 2, 0, most);
        if (held.compareAndSet(others, others + bytes)) {
          return promised(bytes);
        }
      }
    }

    private Share promised(long bytes) {
      return new Share(new Watched(disk, own + bytes), bytes, () -> held.addAndGet(-bytes));
    }
  }

  private Disk disk(Path directory) {
    try {
      Path real = directory.toRealPath();
      return disks.stream()
          .filter(disk -> real.startsWith(disk.place))
          .max(Comparator.comparingInt(disk -> disk.place.getNameCount()))
          .orElse(disks.getFirst());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void require(Disk disk, long bytes, long others, String what) {
    long free = free(disk, others);
    long reserve = reserve(disk);
    if (free < reserve || free - reserve < bytes) {
      throw exhausted(
          "%s has %,d bytes free, which is less than the reserve of %,d%s"
              .formatted(disk.place, Math.max(0, free), reserve, asked(bytes, what)),
          null);
    }
  }

  private static long free(Disk disk, long others) {
    return known(disk, FileStore::getUsableSpace) - others;
  }

  private long reserve(Disk disk) {
    return wanted.orElseGet(
        () -> Math.min(USUAL_MOST, known(disk, FileStore::getTotalSpace) / USUAL_SHARE));
  }

  /** A figure of a file system. */
  @FunctionalInterface
  private interface Figure {
    long of(FileStore store) throws IOException;
  }

  private static long known(Disk disk, Figure figure) {
    try {
      return figure.of(disk.store);
    } catch (IOException e) {
      throw new SandgateException(
          ErrorCode.INTERNAL, "", "the free space of %s is not known".formatted(disk.place), e);
    }
  }

  /** The refusal of what would reach into the reserve. */
  public static SandgateException exhausted(String why, @Nullable Throwable cause) {
    return new SandgateException(
        ErrorCode.RESOURCE_EXHAUSTED,
        SETTING,
        SETTING + ": " + why + "; delete sandboxes or environments, or lower the setting",
        cause);
  }

  private static String asked(long bytes, String what) {
    return bytes == 0 ? "" : " and the %,d %s".formatted(bytes, what);
  }
}
