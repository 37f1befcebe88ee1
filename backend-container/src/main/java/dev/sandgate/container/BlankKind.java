// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.QosClass;

/**
 * What must be known of a sandbox before its blank can be made; all else it gets when it is activated.
 *
 * @param qosClass its cgroup's place
 */
record BlankKind(QosClass qosClass) {

  boolean bestEffort() {
    return switch (qosClass) {
      case LATENCY_SENSITIVE -> false;
      case BEST_EFFORT -> true;
    };
  }
}
