// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.http;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.tls.SslContextProvider;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrafficShapingOptions;
import io.vertx.core.net.impl.NetServerInternal;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A net server that never listens and only remembers what to do with a connection. */
final class Detached implements NetServerInternal {

  private volatile Handler<NetSocket> handler = NetSocket::close;

  @Override
  public NetServerInternal connectHandler(@Nullable Handler<NetSocket> connections) {
    handler = connections == null ? NetSocket::close : connections;
    return this;
  }

  @Override
  public Handler<NetSocket> connectHandler() {
    return handler;
  }

  @Override
  public NetServerInternal exceptionHandler(@Nullable Handler<Throwable> unused) {
    return this;
  }

  @Override
  public @Nullable SslContextProvider sslContextProvider() {
    return null;
  }

  @Override
  public Future<NetServer> listen(ContextInternal context, SocketAddress unused) {
    return context.succeededFuture(this);
  }

  @Override
  public Future<NetServer> listen() {
    return Future.succeededFuture(this);
  }

  @Override
  public Future<NetServer> listen(SocketAddress unused) {
    return Future.succeededFuture(this);
  }

  @Override
  public Future<Void> shutdown(long timeout, TimeUnit unit) {
    return Future.succeededFuture();
  }

  @Override
  public int actualPort() {
    return 0;
  }

  @Override
  public Future<Boolean> updateSSLOptions(ServerSSLOptions options, boolean force) {
    return Future.succeededFuture(false);
  }

  @Override
  public Future<Boolean> updateTrafficShapingOptions(TrafficShapingOptions options) {
    return Future.succeededFuture(false);
  }
}
