// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.proto.v1.Sandbox;

/** Records as callers may see them. */
final class Redacted {

  private Redacted() {}

  /** Without the values of variables. */
  static Sandbox of(Sandbox full) {
    if (full.getSpec().getEnvCount() == 0) {
      return full;
    }
    Sandbox.Builder shown = full.toBuilder();
    full.getSpec().getEnvMap().keySet().forEach(key -> shown.getSpecBuilder().putEnv(key, ""));
    return shown.build();
  }
}
