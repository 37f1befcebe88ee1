// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import java.nio.file.Path;

/** One end of a copy: a local path, or a path in a sandbox. */
sealed interface Place {

  /** A local path. */
  record Local(Path path) implements Place {}

  /** A path in a sandbox. */
  record Inside(String sandboxId, String path) implements Place {}

  /** Reads "SANDBOX:/path", or a local path; write "./sb-x:/y" for a local name that looks like one. */
  static Place parse(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0 || text.substring(0, Math.max(0, colon)).contains("/")) {
      return new Local(Path.of(text));
    }
    String path = text.substring(colon + 1);
    if (!path.startsWith("/")) {
      throw CommandFailure.usage(
          "'" + text + "': the path inside a sandbox is absolute: write SANDBOX:/path");
    }
    return new Inside(text.substring(0, colon), path);
  }
}
