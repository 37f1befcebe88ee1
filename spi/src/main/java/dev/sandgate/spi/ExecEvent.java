// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.nio.ByteBuffer;
import java.time.Duration;

/** What happens to an exec, in order. */
public sealed interface ExecEvent {

  /** Where output came from. */
  enum Stream {
    /** Standard output, or everything a terminal shows. */
    STDOUT,
    /** Standard error; never with a terminal. */
    STDERR
  }

  /**
   * Bytes the command wrote.
   *
   * @param stream where to
   * @param offset position of the first byte in that stream
   * @param data 1 byte to 64 KiB, read-only, the receiver's to keep
   */
  record Output(Stream stream, long offset, ByteBuffer data) implements ExecEvent {}

  /**
   * The command ended and its output is drained: the last event.
   *
   * @param exitCode 0–255, or -1 when a signal ended it; a backend of {@link Isolation#PROCESS} that cannot
   *     tell may show 128 plus the signal
   * @param signal the signal that ended it, or 0
   * @param outOfMemory whether the kernel killed something in the sandbox for memory while it ran
   * @param end how many bytes each output had
   * @param usage what the command and its waited-for children used
   */
  record Exited(int exitCode, int signal, boolean outOfMemory, OutputOffsets end, ExecUsage usage)
      implements ExecEvent {}

  /**
   * What a command used.
   *
   * @param wall from start to exit
   * @param cpu user and system time of its whole tree
   * @param peakMemoryBytes largest resident set of one of its processes
   * @param readBytes fetched from storage by its tree, as far as that ended before it did, or {@link #UNKNOWN}
   * @param writtenBytes dirtied by its tree of what belongs on storage, likewise
   */
  record ExecUsage(
      Duration wall, Duration cpu, long peakMemoryBytes, long readBytes, long writtenBytes) {

    /** Bytes that nobody counted, which are not 0. */
    public static final long UNKNOWN = -1;

    /**
     * Usage without what it did to storage.
     *
     * @param wall from start to exit
     * @param cpu user and system time of its whole tree
     * @param peakMemoryBytes largest resident set of one of its processes
     */
    public ExecUsage(Duration wall, Duration cpu, long peakMemoryBytes) {
      this(wall, cpu, peakMemoryBytes, UNKNOWN, UNKNOWN);
    }
  }
}
