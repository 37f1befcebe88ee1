// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Uni;

/**
 * Stateless calls: a program, its input, its result. Each runs in a worker that was made before it came; what it leaves
 * there is gone before the next one. Needs {@link Capability#FUNCTIONS}.
 *
 * <p>Threads: as {@link Backend}.
 */
public interface Functions {

  /**
   * Runs one call, at most once per subscription. A program that fails is a result, not an error.
   *
   * <p>Cancelling kills what runs; its worker is never used again. Errors: {@link ErrorCode#POOL_EXHAUSTED} when no worker
   * came free in time, {@link ErrorCode#INVALID_ARGUMENT}, {@link ErrorCode#BACKEND_UNAVAILABLE} also for a GPU that is not
   * there, {@link ErrorCode#EXEC_FAILED} when the environment lacks the interpreter or the compiler, {@link
   * ErrorCode#SANDBOX_LOST} when the worker died under the call, which is not run again.
   *
   * @param call what to run
   * @return what came of it
   */
  Uni<FunctionResult> call(FunctionCall call);

  /**
   * What the pool did so far and has now. Cheap; any thread.
   *
   * @return a reading
   */
  PoolCounts counts();

  /**
   * The pool of workers in numbers.
   *
   * @param calls that got a worker
   * @param warm of them, those whose worker was there before
   * @param made workers
   * @param reused times a worker served one more call after it was found clean
   * @param dirty workers that were destroyed after a call because of what it left or how it ended
   * @param exhausted calls that got no worker in time
   * @param busy workers that serve a call now
   * @param idle workers that wait now
   */
  record PoolCounts(
      long calls,
      long warm,
      long made,
      long reused,
      long dirty,
      long exhausted,
      int busy,
      int idle) {}
}
