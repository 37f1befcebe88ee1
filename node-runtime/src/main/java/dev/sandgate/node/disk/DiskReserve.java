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
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Disk space that new sandboxes must leave free, on the file system of the node's data directory and on every one that is mounted
 * below it. Safe for any thread.
 */
public final class DiskReserve {

  private static final String SETTING = "node.disk-reserve-bytes";
  private static final long USUAL_MOST = 1L << 30;
  private static final long USUAL_SHARE = 20;
  private static final int MOUNT_PLACE = 4;

  private final OptionalLong wanted;
  private final List<Disk> disks = new ArrayList<>();

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

  /**
   * Blocks for a moment.
   *
   * @param bytes that may be written beside what is there
   * @throws SandgateException RESOURCE_EXHAUSTED when less than the reserve would be left of some file system
   */
  public void require(long bytes) {
    for (Disk disk : disks) {
      try {
        require(disk, bytes);
      } catch (IOException e) {
        throw new SandgateException(
            ErrorCode.INTERNAL, "", "the free space of %s is not known".formatted(disk.place), e);
      }
    }
  }

  private void require(Disk disk, long bytes) throws IOException {
    long free = disk.store.getUsableSpace();
    long reserve = wanted.orElse(Math.min(USUAL_MOST, disk.store.getTotalSpace() / USUAL_SHARE));
    if (free < reserve || free - reserve < bytes) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          SETTING,
          "%s: %s has %,d bytes free, which is less than the reserve of %,d%s; delete sandboxes or lower the setting"
              .formatted(SETTING, disk.place, free, reserve, asked(bytes)),
          null);
    }
  }

  private static String asked(long bytes) {
    return bytes == 0 ? "" : " and the %,d of limits.disk_bytes".formatted(bytes);
  }
}
