// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.support.wire.Errno;
import org.jspecify.annotations.Nullable;

/** A request that the spawner could not do, or could not be asked to do. */
public final class SpawnerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int step;
  private final int errno;

  private SpawnerException(String message, int step, int errno, @Nullable Throwable cause) {
    super(message, cause);
    this.step = step;
    this.errno = errno;
  }

  static SpawnerException refused(int step, int errno, String text) {
    String name = errno == 0 ? "" : " (" + Errno.name(errno) + ")";
    return new SpawnerException("step " + step + ": " + text + name, step, errno, null);
  }

  static SpawnerException unreachable(String message, @Nullable Throwable cause) {
    return new SpawnerException(message, 0, 0, cause);
  }

  /** The step that failed, as the protocol numbers them; 0 when the spawner did not answer at all. */
  public int step() {
    return step;
  }

  /** The kernel's error number, or 0. */
  public int errno() {
    return errno;
  }

  /** Whether the spawner did not answer, so that nothing is known of what it did. */
  public boolean isUnreachable() {
    return step == 0;
  }
}
