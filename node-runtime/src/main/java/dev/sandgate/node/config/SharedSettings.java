// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import static dev.sandgate.node.config.Setting.check;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The directory of layers that this node shares with others.
 *
 * @param directory where it is; none: the node keeps its layers to itself
 * @param pulls whether layers that are used are brought as a whole in the background
 * @param localBytes how much of the node's disk its layers take at most, those in use and those used a minute ago aside
 * @param patience how long one access may take
 */
public record SharedSettings(
    Optional<Path> directory, boolean pulls, long localBytes, Duration patience) {

  private static final long GIB = 1L << 30;
  private static final long MOST_MILLIS = 600_000;

  /** Checks. */
  public SharedSettings {
    directory.ifPresent(
        path -> check(path.isAbsolute(), "node.shared-layers", "give an absolute path"));
    long millis = patience.toMillis();
    check(
        millis >= 100 && millis <= MOST_MILLIS,
        "node.shared-layers-timeout-ms",
        "give 100 to " + MOST_MILLIS);
  }

  /**
   * Reads {@code node.shared-layers}, {@code node.shared-layers-pull}, {@code node.shared-layers-local-bytes}, {@code
   * node.shared-layers-timeout-ms}.
   */
  public static SharedSettings of(Map<String, String> settings) {
    String directory = settings.getOrDefault("node.shared-layers", "").strip();
    String pull = settings.getOrDefault("node.shared-layers-pull", "on");
    check(pull.matches("on|off"), "node.shared-layers-pull", "give on or off");
    return new SharedSettings(
        directory.isEmpty() ? Optional.empty() : Optional.of(Path.of(directory).normalize()),
        pull.equals("on"),
        Recording.number(settings, "node.shared-layers-local-bytes", 256 * GIB),
        Duration.ofMillis(Recording.number(settings, "node.shared-layers-timeout-ms", 30_000)));
  }
}
