// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory of a spawner that was told to stop: removed once the spawner has let go of it. */
final class RunDirectory {

  private static final Logger LOG = LoggerFactory.getLogger(RunDirectory.class);
  private static final int ATTEMPTS = 400;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private RunDirectory() {}

  /** Waits for the spawner's lock, up to two seconds, and removes the directory; what fails is logged. */
  static void remove(Path run) {
    try (FileChannel lock =
        FileChannel.open(run.resolve("spawner.lock"), StandardOpenOption.WRITE)) {
      if (isReleased(lock)) {
        delete(run);
      } else {
        LOG.warn("the spawner of {} has not ended; its directory stays", run);
      }
    } catch (IOException e) {
      LOG.warn("the directory {} of a stopped spawner stays", run, e);
    }
  }

  private static boolean isReleased(FileChannel lock) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      FileLock taken = lock.tryLock();
      if (taken != null) {
        return true;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return false;
  }

  private static void delete(Path run) throws IOException {
    List<Path> entries;
    try (Stream<Path> tree = Files.walk(run)) {
      entries = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path entry : entries) {
      Files.deleteIfExists(entry);
    }
  }
}
