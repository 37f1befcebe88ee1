// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.admission;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** What the kernel says of the machine's memory and of who waits for what. */
public final class Machine {

  private static final long KIB = 1_024;

  private final Path proc;

  /** Reads below a proc file system. */
  public Machine(Path proc) {
    this.proc = proc;
  }

  /** Memory there is, bytes. */
  public long memoryBytes() {
    return memory("MemTotal:");
  }

  /** Memory that can be taken without swapping, bytes. */
  public long availableBytes() {
    return memory("MemAvailable:");
  }

  /**
   * How much of the last ten seconds some task waited for a resource, percent (pressure stall information, {@code some avg10}).
   *
   * @param resource cpu, memory or io
   * @return empty where the kernel does not tell
   */
  public OptionalDouble pressure(String resource) {
    try {
      String text = Files.readString(proc.resolve("pressure").resolve(resource));
      int start = text.indexOf("avg10=") + "avg10=".length();
      return OptionalDouble.of(Double.parseDouble(text.substring(start, text.indexOf(' ', start))));
    } catch (NoSuchFileException e) {
      return OptionalDouble.empty();
    } catch (IOException e) {
      // EOPNOTSUPP: the kernel was started with psi=0.
      return OptionalDouble.empty();
    }
  }

  private long memory(String name) {
    try {
      String text = Files.readString(proc.resolve("meminfo"));
      int start = text.indexOf(name) + name.length();
      return KIB * Long.parseLong(text.substring(start, text.indexOf(" kB", start)).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
