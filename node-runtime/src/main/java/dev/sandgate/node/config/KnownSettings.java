// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The settings there are: one that nobody would read is a mistake of whoever wrote it. */
public final class KnownSettings {

  private static final String BACKEND = "backend.";
  private static final List<String> NAMES =
      List.of(
          "node.collapse-bytes",
          "node.cpu-overcommit",
          "node.disk-reserve-bytes",
          "node.exports-at-once",
          "node.idle-timeout",
          "node.imports-at-once",
          "node.journal",
          "node.keep-replaced-seconds",
          "node.lease",
          "node.lifetime",
          "node.max-cpu-pressure",
          "node.max-io-pressure",
          "node.max-memory-pressure",
          "node.memory-overcommit",
          "node.memory-reserve-bytes",
          "node.metering-period-ms",
          "node.shared-layers",
          "node.shared-layers-auth",
          "node.shared-layers-local-bytes",
          "node.shared-layers-pull",
          "node.shared-layers-timeout-ms",
          "node.snapshot-bytes",
          "node.snapshot-entries",
          "node.spool-bytes",
          "node.swap",
          "node.trajectory-bytes",
          "node.trajectory-hours",
          "node.transfer-stall-ms");

  private KnownSettings() {}

  /** INVALID_CONFIG for a name that is unknown, with the nearest known one; backends check their own. */
  public static void check(Collection<String> names) {
    for (String name : names) {
      if (!name.startsWith(BACKEND) && !NAMES.contains(name)) {
        throw new SandgateException(
            ErrorCode.INVALID_CONFIG,
            name,
            "%s is unknown; did you mean %s? There are %s and backend.NAME.KEY"
                .formatted(name, nearest(name), String.join(", ", NAMES)),
            null);
      }
    }
  }

  private static String nearest(String name) {
    String wrong = name.toLowerCase(Locale.ROOT);
    return NAMES.stream()
        .min(Comparator.comparingInt((String known) -> distance(wrong, known)))
        .orElseThrow();
  }

  /** How many characters must be put in, taken out or changed. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[to.length()];
  }
}
