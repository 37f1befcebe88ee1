// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import java.util.Map;

/**
 * How layers are kept.
 *
 * @param collapseBytes how large the layers of an image that become one may be together, as its registry has them; 0: each stays by
 *     itself
 */
public record LayerSettings(long collapseBytes) {

  private static final long MIB = 1L << 20;

  /** Reads {@code node.collapse-bytes}. */
  public static LayerSettings of(Map<String, String> settings) {
    return new LayerSettings(Recording.number(settings, "node.collapse-bytes", 32 * MIB));
  }
}
