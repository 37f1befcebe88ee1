// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.config.TransferSettings;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Whether a program still reads or writes; not for several threads. */
final class Stall {

  /** A program that waits wakes itself now and then, and greets again. Bytes. */
  private static final long LEAST = 4 << 10;

  private final Duration most;
  private long counted = -LEAST;
  private long sinceNanos;

  Stall(Duration most) {
    this.most = most;
  }

  /** Looks at a program and its children; DEADLINE_EXCEEDED when they did nothing for too long. */
  void look(Process process) {
    long now = System.nanoTime();
    long count =
        Stream.concat(Stream.of(process.toHandle()), process.descendants())
            .mapToLong(one -> moved(one.pid()))
            .sum();
    if (Math.abs(count - counted) >= LEAST) {
      counted = count;
      sinceNanos = now;
    } else if (now - sinceNanos > most.toNanos()) {
      throw ended("the other side sent and took nothing", most);
    }
  }

  /** What a transfer ends with in which nothing happens. */
  static SandgateException ended(String what, Duration most) {
    return new SandgateException(
        ErrorCode.DEADLINE_EXCEEDED,
        TransferSettings.STALL,
        "%s: %s for %,d ms; try again, or raise the setting"
            .formatted(TransferSettings.STALL, what, most.toMillis()),
        null);
  }

  /** Bytes that a process read and wrote, by files and sockets alike. */
  private static long moved(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "io"))) {
      return lines
          .filter(line -> line.startsWith("rchar: ") || line.startsWith("wchar: "))
          .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
          .sum();
    } catch (IOException | java.io.UncheckedIOException gone) {
      return 0;
    }
  }
}
