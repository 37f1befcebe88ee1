// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;

/** Waits for results, where waiting is allowed. */
final class Blocking {

  private Blocking() {}

  static <T> T await(Uni<T> uni) {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException("this method blocks; on an event loop use the Uni instead");
    }
    return uni.await().indefinitely();
  }
}
