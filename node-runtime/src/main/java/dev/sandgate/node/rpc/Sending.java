// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import io.vertx.core.Future;

/** The one place where the outcome of a write is not waited for: a broken call reports itself by its close. */
final class Sending {

  private Sending() {}

  static void forget(Future<Void> written) {
    written.onFailure(_ -> {});
  }
}
