// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Uni;
import java.time.Duration;

/**
 * What a backend makes ahead so that {@link Backend#create} is quick, which takes from it by itself.
 *
 * <p>Threads: as {@link Backend}.
 */
public interface SandboxPool {

  /**
   * As {@link Backend#create}, of something made ahead only.
   *
   * <p>Cancelling as there. Errors as there, and {@link ErrorCode#POOL_EXHAUSTED} when none came in time, or none is ever made.
   *
   * @param spec what is wanted
   * @param within how long to wait for one
   * @return the sandbox, owned by the node, which destroys it
   */
  Uni<Sandbox> create(SandboxSpec spec, Duration within);

  /**
   * What the pool did so far and has now. Cheap; any thread.
   *
   * @return a reading
   */
  Counts counts();

  /**
   * A pool in numbers, since the backend was opened.
   *
   * @param hits requests that found one at once
   * @param misses requests that did not, and made one or waited
   * @param timeouts of them, those that waited in vain
   * @param made that were made
   * @param failures to make one
   * @param dirty that were destroyed because they died, or could not become a sandbox
   * @param surplus that were destroyed because fewer were wanted
   * @param available that wait now
   * @param making that are being made now
   * @param wanted that are to wait now
   * @param memoryBytes that those take that wait
   * @param activationP50Micros within which half of those that were taken had become a sandbox
   * @param activationP99Micros the same of 99 percent
   */
  record Counts(
      long hits,
      long misses,
      long timeouts,
      long made,
      long failures,
      long dirty,
      long surplus,
      int available,
      int making,
      int wanted,
      long memoryBytes,
      long activationP50Micros,
      long activationP99Micros) {}
}
