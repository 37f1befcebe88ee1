// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import java.time.Duration;
import java.util.Map;

/**
 * How layers are kept.
 *
 * @param collapseBytes how large the layers of an image that become one may be together, as its registry has them; 0: each stays by
 *     itself
 * @param keepReplaced how long what a name stood for stays usable by its digest when nothing needs it
 */
public record LayerSettings(long collapseBytes, Duration keepReplaced) {

  private static final long MIB = 1L << 20;
  private static final long DAY_SECONDS = 86_400;

  /** Reads {@code node.collapse-bytes} and {@code node.keep-replaced-seconds}. */
  public static LayerSettings of(Map<String, String> settings) {
    return new LayerSettings(
        Recording.number(settings, "node.collapse-bytes", 32 * MIB),
        Duration.ofSeconds(Recording.number(settings, "node.keep-replaced-seconds", DAY_SECONDS)));
  }
}
