// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.host;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small files of the kernel, where an absent one just means that the thing is absent. */
public final class ProcFile {

  private static final Logger LOG = LoggerFactory.getLogger(ProcFile.class);

  private static final int PAGE = 4096;

  private ProcFile() {}

  public static List<String> lines(String path) {
    try {
      return Files.readAllLines(Path.of(path), StandardCharsets.UTF_8);
    } catch (IOException e) {
      LOG.debug("{} cannot be read", path, e);
      return List.of();
    }
  }

  /** The first page of a file, by one read: what is asked for at every command. */
  public static String small(String path) {
    try (FileInputStream file = new FileInputStream(path)) {
      byte[] page = new byte[PAGE];
      return new String(page, 0, Math.max(0, file.read(page)), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      LOG.debug("{} cannot be read", path, e);
      return "";
    }
  }

  public static String text(String path) {
    return String.join("\n", lines(path)).strip();
  }

  /** Where a program is found. */
  public static Optional<Path> onPath(String name) {
    String path =
        Optional.ofNullable(System.getenv("PATH")).orElse("/usr/sbin:/usr/bin:/sbin:/bin");
    return Stream.concat(Stream.of(path.split(":", -1)), Stream.of("/usr/sbin"))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
