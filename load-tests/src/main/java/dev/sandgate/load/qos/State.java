// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.qos;

import java.util.Locale;

/** Beside what the latency-sensitive task runs. */
enum State {
  /** Sandboxes that do nothing. */
  IDLE,
  /** Best-effort sandboxes that spin. */
  BEST_EFFORT,
  /** The same, but their class has the least weight instead of being idle. */
  LEAST_WEIGHT,
  /** Sandboxes of its own class and weight that spin. */
  FLAT;

  /** The name of what is measured in this state. */
  String named(String what) {
    return what + "_" + name().toLowerCase(Locale.ROOT);
  }
}
