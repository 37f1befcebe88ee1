// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import dev.sandgate.spi.ExecEvent.ExecUsage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What came of a call.
 *
 * @param verdict the first one among compiler and cases that is not {@link Verdict#ACCEPTED}, else that
 * @param compile how the compiler ended; empty for what is not compiled
 * @param runs how each case ended, in order; none after a compiler that failed
 * @param worker the name of the worker, which no later call of another worker has
 * @param waited for a worker
 * @param warm whether the worker was there before the call came
 */
public record FunctionResult(
    Verdict verdict,
    Optional<Run> compile,
    List<Run> runs,
    String worker,
    Duration waited,
    boolean warm) {

  /** Freezes the runs. */
  public FunctionResult {
    runs = List.copyOf(runs);
  }

  /** What is to be said of a program that ended. */
  public enum Verdict {
    /** It exited with 0, and wrote what was expected if something was. */
    ACCEPTED,
    /** It exited with 0 and wrote something else. */
    WRONG_ANSWER,
    /** It was killed because its time was over. */
    TIME_LIMIT,
    /** The kernel killed it, or a part of it, for memory. */
    MEMORY_LIMIT,
    /** The compiler did not exit with 0. */
    COMPILE_ERROR,
    /** It exited with another code, or a signal ended it. */
    RUNTIME_ERROR
  }

  /**
   * How one program ended.
   *
   * @param verdict about it
   * @param exitCode 0–255, or 128 plus the signal
   * @param signal that ended it, or 0
   * @param timedOut whether it was killed because its time was over
   * @param outOfMemory whether the kernel killed something in the worker for memory meanwhile
   * @param stdout what it wrote
   * @param stderr what it wrote there
   * @param usage what it used
   */
  public record Run(
      Verdict verdict,
      int exitCode,
      int signal,
      boolean timedOut,
      boolean outOfMemory,
      Output stdout,
      Output stderr,
      ExecUsage usage) {}

  /**
   * What was written to one stream.
   *
   * @param head its beginning, as far as kept, read-only
   * @param bytes written in all
   */
  public record Output(ByteBuffer head, long bytes) {

    /**
     * Whether something is missing.
     *
     * @return true when more was written than kept
     */
    public boolean truncated() {
      return bytes > head.remaining();
    }
  }
}
