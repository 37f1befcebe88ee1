// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Tells a full disk from other failures to write, which the JDK and tools do by the kernel's words only. */
final class DiskFull {

  private static final int MAX_CAUSES = 16;

  private DiskFull() {}

  /** RESOURCE_EXHAUSTED that names the directory when a failure says that its disk is full, else the failure. */
  static <E extends Exception> SandgateException or(E failure, Path directory) throws E {
    boolean full =
        Stream.<Throwable>iterate(failure, cause -> cause != null, Throwable::getCause)
            .limit(MAX_CAUSES)
            .anyMatch(DiskFull::says);
    if (!full) {
      throw failure;
    }
    return new SandgateException(
        ErrorCode.RESOURCE_EXHAUSTED,
        "",
        "no space left on " + directory + "; free some, or remove environments and sandboxes",
        failure);
  }

  private static boolean says(Throwable cause) {
    // What a caller sent may hold the same words.
    if (cause instanceof SandgateException known && known.code() == ErrorCode.INVALID_ARGUMENT) {
      return false;
    }
    String message = String.valueOf(cause.getMessage());
    return message.contains("No space left on device") || message.contains("Disk quota exceeded");
  }
}
