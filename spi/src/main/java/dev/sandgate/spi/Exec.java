// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/**
 * One command in a sandbox, with its streams. The guest keeps its exit until {@link #release}.
 *
 * <p>Threads: as {@link Backend}. Calls after the exit succeed without effect, except writes to stdin.
 */
public interface Exec {

  /**
   * The id it was started with.
   *
   * @return constant
   */
  String id();

  /**
   * The process id of the command as the sandbox's own processes see it.
   *
   * @return above 0
   */
  long pid();

  /**
   * Output and exit, in order, ended by exactly one {@link ExecEvent.Exited} after all output is drained.
   *
   * <p>One subscriber, once. Back-pressure: without demand the guest stops reading the command's pipes. An
   * item counts as acknowledged when {@code onNext} returns: only then may the guest forget those bytes.
   * Cancelling stops listening and leaves the command running. A stream that fails ({@link
   * ErrorCode#SANDBOX_LOST}) does so at once, without waiting for demand, and says nothing about the
   * command's outcome.
   *
   * @return the events
   */
  Multi<ExecEvent> events();

  /**
   * Writes to stdin. Completes when the guest has room, which is the back-pressure; one write at a time.
   * Bytes below the guest's position are dropped as already written, so a retry is safe. Errors: {@link
   * ErrorCode#FAILED_PRECONDITION} when stdin is closed, by either side, or the offset leaves a gap.
   *
   * @param offset position of the first byte in stdin
   * @param data at most 64 KiB, read until its limit before this returns; may be empty
   * @param end whether stdin ends after it
   * @return the position after it
   */
  Uni<Long> write(long offset, ByteBuffer data, boolean end);

  /**
   * Sends a signal.
   *
   * @param number 1–64
   * @param target who gets it
   * @return completion, when it was sent or nobody is left
   */
  Uni<Void> signal(int number, SignalTarget target);

  /**
   * Changes the terminal's size; without a terminal it does nothing.
   *
   * @param size the new size
   * @return completion
   */
  Uni<Void> resize(TerminalSize size);

  /**
   * Says that the exit is recorded: the guest forgets the exec. Idempotent; a running command goes on.
   *
   * @return completion
   */
  Uni<Void> release();

  /** Who gets a signal. */
  enum SignalTarget {
    /** The command's first process only. */
    PROCESS,
    /** The terminal's foreground group, or the command's process group. */
    GROUP,
    /** Every descendant, whatever it did to escape ({@code SIGKILL} only). */
    TREE
  }
}
