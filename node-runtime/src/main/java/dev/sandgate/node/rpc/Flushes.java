// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import io.netty.handler.flush.FlushConsolidationHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/** Makes one system call of what an event loop writes in one turn. */
final class Flushes {

  private static final int AT_MOST = 256;

  private Flushes() {}

  static void consolidate(HttpConnection connection) {
    if (connection instanceof ConnectionBase netty) {
      netty.channel().pipeline().addFirst(new FlushConsolidationHandler(AT_MOST, true));
    }
  }
}
