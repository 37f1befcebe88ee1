// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done to take back what was acquired: pushed right after each acquire, run once, last first.
 *
 * <p>Any thread. A step that fails does not keep the others from running. A step pushed after the run, by work that was
 * still under way, runs at once. {@link #keep} forgets the steps when what was acquired has found its owner.
 */
public final class Undo {

  /** One step back. */
  @FunctionalInterface
  public interface Step {
    /**
     * Takes back; may block.
     *
     * @throws Exception when it could not
     */
    void run() throws Exception;
  }

  /** A step and what it takes back, for messages. */
  private record Named(String what, Step step) {}

  private final Deque<Named> steps = new ArrayDeque<>();
  private boolean ran;

  /**
   * Remembers how to take something back.
   *
   * @param what it takes back, for the message of a failure
   * @param step how
   * @throws IllegalStateException when everything was taken back already, and this step, run at once, failed
   */
  public void push(String what, Step step) {
    Named late;
    synchronized (steps) {
      if (!ran) {
        steps.push(new Named(what, step));
        return;
      }
      late = new Named(what, step);
    }
    rethrow(run(late, null));
  }

  /** Forgets all steps: from now on somebody else takes back what was acquired. */
  public void keep() {
    synchronized (steps) {
      steps.clear();
    }
  }

  /**
   * Takes everything back; a second call does nothing.
   *
   * @throws IllegalStateException after all steps, naming the first that failed, with the others suppressed
   */
  public void run() {
    IllegalStateException failure = null;
    for (Named next = next(); next != null; next = next()) {
      failure = run(next, failure);
    }
    rethrow(failure);
  }

  /**
   * Takes everything back because of a failure, which carries along what goes wrong.
   *
   * @param cause of the undoing
   * @return the cause
   */
  public <T extends Throwable> T runBecause(T cause) {
    try {
      run();
    } catch (IllegalStateException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }

  private @Nullable Named next() {
    synchronized (steps) {
      ran = true;
      return steps.poll();
    }
  }

  @SuppressWarnings("InterruptedExceptionSwallowed") // the interrupt is kept for whoever waits next
  private static @Nullable IllegalStateException run(
      Named next, @Nullable IllegalStateException earlier) {
    try {
      next.step.run();
      return earlier;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      IllegalStateException failure =
          new IllegalStateException("cannot take back " + next.what + ": " + e.getMessage(), e);
      if (earlier == null) {
        return failure;
      }
      earlier.addSuppressed(failure);
      return earlier;
    }
  }

  private static void rethrow(@Nullable IllegalStateException failure) {
    if (failure != null) {
      throw failure;
    }
  }
}
