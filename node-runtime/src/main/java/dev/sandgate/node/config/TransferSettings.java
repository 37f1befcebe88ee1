// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import java.time.Duration;
import java.util.Map;

/**
 * How environments come to a node and leave it.
 *
 * @param exports how many run at once
 * @param imports how many run at once; each may keep 150 MB of paths in memory
 * @param stall how long one whose other side does nothing may hold its place
 */
public record TransferSettings(int exports, int imports, Duration stall) {

  /** The name of {@link #exports}. */
  public static final String EXPORTS = "node.exports-at-once";

  /** The name of {@link #imports}. */
  public static final String IMPORTS = "node.imports-at-once";

  /** The name of {@link #stall}. */
  public static final String STALL = "node.transfer-stall-ms";

  private static final int STANDARD = 4;
  private static final int MOST = 1_000;
  private static final long STANDARD_MILLIS = 60_000;
  private static final long LEAST_MILLIS = 100;
  private static final long MOST_MILLIS = 3_600_000;

  /** Checks. */
  public TransferSettings {
    Setting.check(exports >= 1 && exports <= MOST, EXPORTS, "give 1 … 1000");
    Setting.check(imports >= 1 && imports <= MOST, IMPORTS, "give 1 … 1000");
    long millis = stall.toMillis();
    Setting.check(
        millis >= LEAST_MILLIS && millis <= MOST_MILLIS, STALL, "give 100 … 3600000 milliseconds");
  }

  /** Reads {@code node.exports-at-once}, {@code node.imports-at-once} and {@code node.transfer-stall-ms}. */
  public static TransferSettings of(Map<String, String> settings) {
    return new TransferSettings(
        (int) Math.min(MOST + 1, Recording.number(settings, EXPORTS, STANDARD)),
        (int) Math.min(MOST + 1, Recording.number(settings, IMPORTS, STANDARD)),
        Duration.ofMillis(Recording.number(settings, STALL, STANDARD_MILLIS)));
  }
}
