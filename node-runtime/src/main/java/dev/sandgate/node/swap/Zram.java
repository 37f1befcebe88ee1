// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.swap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A compressed device in memory (zram).
 *
 * @param number of the device
 */
record Zram(int number) implements SwapArea {

  private static final Path CONTROL = Path.of("/sys/class/zram-control");
  private static final int PRIORITY = 100;
  private static final long APPEARS_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Whether the kernel has such devices. */
  static boolean isThere() {
    return Files.exists(CONTROL);
  }

  /** A new device for so many bytes of memory before compression. */
  static Zram make(long bytes) throws IOException {
    Zram made = new Zram(Integer.parseInt(Files.readString(CONTROL.resolve("hot_add")).strip()));
    try {
      Files.writeString(made.block("disksize"), Long.toString(bytes));
      made.awaitDevice();
      return made;
    } catch (IOException e) {
      made.remove();
      throw e;
    }
  }

  private void awaitDevice() throws IOException {
    long begun = System.nanoTime();
    while (!Files.exists(device())) {
      if (System.nanoTime() - begun > APPEARS_NANOS) {
        throw new NoSuchFileException(device().toString());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private Path block(String name) {
    return Path.of("/sys/block/zram" + number, name);
  }

  @Override
  public Path device() {
    return Path.of("/dev/zram" + number);
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public void remove() throws IOException {
    Files.writeString(block("reset"), "1");
    Files.writeString(CONTROL.resolve("hot_remove"), Integer.toString(number));
  }
}
