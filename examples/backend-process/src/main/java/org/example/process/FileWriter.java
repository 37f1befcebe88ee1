// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sandgate.spi.Files.WriteMode;
import dev.sandgate.spi.Files.WriteTarget;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens a regular file for writing as a target says. */
final class FileWriter {

  private FileWriter() {}

  static FileChannel open(Path file, WriteTarget target) throws IOException {
    if (target.mode() == WriteMode.CREATE || !Files.exists(file)) {
      FileChannel created = FileChannel.open(file, WRITE, CREATE_NEW);
      Files.setAttribute(file, "unix:mode", target.fileMode(), NOFOLLOW_LINKS);
      return created.position(target.offset());
    }
    FileReader.requireRegular(file);
    return switch (target.mode()) {
      case TRUNCATE -> FileChannel.open(file, WRITE, TRUNCATE_EXISTING);
      case APPEND -> FileChannel.open(file, APPEND);
      case RESUME -> FileChannel.open(file, WRITE).position(target.offset());
      case CREATE -> throw new IllegalStateException("handled above");
    };
  }
}
