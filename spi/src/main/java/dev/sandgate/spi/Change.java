// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import dev.sandgate.spi.Files.FileType;

/**
 * An entry of a sandbox that is not as its environment has it. A directory counts as modified when its mode or owner
 * differs, not when only entries of it do.
 *
 * @param kind how it differs
 * @param type what it is now, or was when it is removed
 * @param path absolute
 * @param size bytes of a regular file, now or before it was removed
 * @param changedNanos when its content or attributes changed last, nanoseconds since the epoch; 0 when it is removed
 * @param emptied a directory whose former entries are all gone, but for those that are reported as modified
 */
public record Change(
    Kind kind, FileType type, String path, long size, long changedNanos, boolean emptied) {

  /** How an entry differs. */
  public enum Kind {
    /** The environment has nothing there. */
    ADDED,
    /** The environment has something there: other content, mode, owner or type. */
    MODIFIED,
    /** Only the environment has it; what was below it is gone as well and not reported. */
    REMOVED
  }
}
