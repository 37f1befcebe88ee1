// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.http;

import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.NetServerImpl;
import java.util.concurrent.TimeUnit;

/** A net server that never listens and only remembers what to do with a connection. */
final class Detached extends NetServerImpl {

  Detached(VertxInternal vertx) {
    super(vertx, new NetServerOptions());
  }

  @Override
  public Future<NetServer> listen(ContextInternal context, SocketAddress unused) {
    return context.succeededFuture(this);
  }

  @Override
  public Future<Void> shutdown(long timeout, TimeUnit unit) {
    return Future.succeededFuture();
  }
}
