// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import static dev.sandgate.node.config.Setting.check;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where the layers are that this node shares with others.
 *
 * @param place a directory's path, or {@code oci://HOST[:PORT]/NAME}; none: the node keeps its layers to itself
 * @param pulls whether layers that are used are brought as a whole in the background
 * @param localBytes how much of the node's disk its layers take at most, those in use and those used a minute ago aside
 * @param patience how long one access may take
 * @param auth the file of credentials for a registry, as {@code skopeo login} writes it
 */
public record SharedSettings(
    Optional<String> place,
    boolean pulls,
    long localBytes,
    Duration patience,
    Optional<Path> auth) {

  private static final long GIB = 1L << 30;
  private static final long MOST_MILLIS = 600_000;

  private static final Pattern REGISTRY =
      Pattern.compile("oci://[A-Za-z0-9.\\-\\[\\]:]+/[a-z0-9]+([._/-]+[a-z0-9]+)*");

  /** Checks. */
  public SharedSettings {
    place.ifPresent(
        where ->
            check(
                isRegistry(where) ? REGISTRY.matcher(where).matches() : Path.of(where).isAbsolute(),
                "node.shared-layers",
                "give an absolute path, or oci://HOST/NAME"));
    auth.ifPresent(
        path -> check(path.isAbsolute(), "node.shared-layers-auth", "give an absolute path"));
    long millis = patience.toMillis();
    check(
        millis >= 100 && millis <= MOST_MILLIS,
        "node.shared-layers-timeout-ms",
        "give 100 to " + MOST_MILLIS);
  }

  /**
   * Reads {@code node.shared-layers}, {@code node.shared-layers-pull}, {@code node.shared-layers-local-bytes}, {@code
   * node.shared-layers-timeout-ms}, {@code node.shared-layers-auth}.
   */
  public static SharedSettings of(Map<String, String> settings) {
    String place = settings.getOrDefault("node.shared-layers", "").strip();
    String auth = settings.getOrDefault("node.shared-layers-auth", "").strip();
    String pull = settings.getOrDefault("node.shared-layers-pull", "on");
    check(pull.matches("on|off"), "node.shared-layers-pull", "give on or off");
    return new SharedSettings(
        place.isEmpty() ? Optional.empty() : Optional.of(normal(place)),
        pull.equals("on"),
        Recording.number(settings, "node.shared-layers-local-bytes", 256 * GIB),
        Duration.ofMillis(Recording.number(settings, "node.shared-layers-timeout-ms", 30_000)),
        auth.isEmpty() ? Optional.empty() : Optional.of(Path.of(auth)));
  }

  private static String normal(String place) {
    return isRegistry(place) ? place : Path.of(place).normalize().toString();
  }

  /** Whether a place is a registry's. */
  public static boolean isRegistry(String place) {
    return place.startsWith("oci://");
  }
}
