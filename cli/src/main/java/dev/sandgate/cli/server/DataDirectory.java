// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import dev.sandgate.proto.v1.Finding;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Whether containers can have their layers in a data directory. */
final class DataDirectory {

  private DataDirectory() {}

  /** INVALID_CONFIG when no layer could be mounted there; for other obstacles the backend's probe speaks. */
  static void check(Path data, Map<String, String> settings) throws IOException {
    boolean containers = !"false".equals(settings.get("backend.container.enabled"));
    if (containers && ErofsTrial.in(data) == ErofsTrial.ENOTBLK) {
      throw new SandgateException(
          ErrorCode.INVALID_CONFIG, "data", "--data: " + unusable(data, data), null);
    }
  }

  /** The same for the doctor, who makes no directory. */
  static Finding examine(Path data) {
    Finding.Builder finding = Finding.newBuilder().setSubject("layers").setRequired(true);
    try {
      Path existing = existing(data);
      int error = ErofsTrial.in(existing);
      String detail =
          switch (error) {
            case 0 -> "EROFS images are mounted from files in " + existing;
            case ErofsTrial.ENOTBLK -> unusable(data, existing);
            default -> "an EROFS image in " + existing + " is not mounted: error " + error;
          };
      return finding.setAvailable(error == 0).setDetail(detail).build();
    } catch (IOException e) {
      return finding.setDetail(data + ": cannot be written: " + e.getMessage()).build();
    }
  }

  /** The directory itself, or the nearest one above it that is there. */
  static Path existing(Path data) {
    Path existing = data.toAbsolutePath();
    while (!Files.isDirectory(existing)) {
      existing = Objects.requireNonNull(existing.getParent());
    }
    return existing;
  }

  private static String unusable(Path data, Path existing) throws IOException {
    return "%s is on %s, from whose files no layer can be mounted; give a directory on ext4, xfs or btrfs with --data"
        .formatted(data, Files.getFileStore(existing).type());
  }
}
