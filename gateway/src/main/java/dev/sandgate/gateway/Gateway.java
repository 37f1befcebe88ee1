// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import dev.sandgate.gateway.auth.ApiKeys;
import dev.sandgate.gateway.http.HttpFace;
import dev.sandgate.gateway.relay.Relay;
import dev.sandgate.gateway.service.OwnServices;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.VertxInternal;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The front of Sandgate: one port on which clients are authenticated and their streams relayed to nodes. It keeps
 * nothing about sandboxes, so any number of gateways serve the same nodes. Thread-safe.
 */
public final class Gateway implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

  private final GatewayConfig config;
  private final OwnServices services;
  private final Relay relay;
  private final Door door;
  private final Channel listener;
  private final CompletableFuture<Void> hurried = new CompletableFuture<>();
  private boolean closed;

  private Gateway(
      GatewayConfig config, OwnServices services, Relay relay, Door door, Channel listener) {
    this.config = config;
    this.services = services;
    this.relay = relay;
    this.door = door;
    this.listener = listener;
  }

  /** Starts a gateway; blocks until it listens, so not to be called on an event loop. */
  public static Gateway start(Vertx vertx, GatewayConfig config) {
    VertxInternal internal = (VertxInternal) vertx;
    List<EventLoop> loops = loops(internal, config.loops());
    OwnServices services =
        OwnServices.start(
            vertx,
            GatewayConfig.OWN_ID,
            config.nodes(),
            new OwnServices.Times(
                config.limits().call(),
                config.relay().connect(),
                config.relay().keepAlive(),
                config.relay().firstMessage()));
    ApiKeys keys = new ApiKeys(config.apiKeys());
    Relay.Routes routes =
        Relay.Routes.of(
            config.nodes(),
            services.address(),
            new Relay.Methods(OwnServices.paths(), OwnServices.sandboxPaths()),
            keys::authenticate);
    Relay relay = new Relay(internal, loops, config.relay(), routes);
    boolean started = false;
    try {
      Door door = door(internal, config, relay, loops);
      Channel listener = door.listen(internal, new InetSocketAddress(config.host(), config.port()));
      Gateway gateway = new Gateway(config, services, relay, door, listener);
      LOG.info(
          "gateway listens on {}:{}, {} nodes",
          config.host(),
          gateway.port(),
          config.nodes().size());
      started = true;
      return gateway;
    } finally {
      if (!started) {
        relay.close().join();
        services.close();
      }
    }
  }

  private static Door door(
      VertxInternal vertx, GatewayConfig config, Relay relay, List<EventLoop> loops) {
    Duration idle = config.limits().idle();
    long firstBytes = Math.min(idle.toMillis(), config.relay().patience().handshake().toMillis());
    Map<EventLoop, Supplier<ChannelHandler>> sniffers = new LinkedHashMap<>();
    for (EventLoop loop : loops) {
      HttpFace http = await(HttpFace.on(vertx, loop, idle, Gateway::answer));
      sniffers.put(loop, () -> new Sniffer(relay, http, firstBytes));
    }
    return new Door(sniffers, config.limits().connections());
  }

  private static List<EventLoop> loops(VertxInternal vertx, int wanted) {
    List<EventLoop> loops = new ArrayList<>();
    for (EventExecutor loop : vertx.nettyEventLoopGroup()) {
      if (loops.size() < wanted) {
        loops.add((EventLoop) loop);
      }
    }
    if (loops.size() < wanted) {
      throw new IllegalArgumentException(
          "loops: " + wanted + " is more than Vert.x's " + loops.size() + " event loops");
    }
    return loops;
  }

  private static void answer(HttpServerRequest request) {
    switch (String.valueOf(request.path())) {
      case "/healthz" -> request.response().end("ok\n");
      case "/version" -> request.response().end(version() + "\n");
      default -> request.response().setStatusCode(404).end("not found\n");
    }
  }

  private static String version() {
    String version = Gateway.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** The port it listens on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /**
   * Takes no more connections and streams, lets streams end for the configured time, then ends those that remain with
   * UNAVAILABLE. Blocks, so not to be called on an event loop.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    listener.close().syncUninterruptibly();
    awaitDrained();
    relay.close().join();
    door.closeConnections();
    services.close();
    LOG.info("gateway on port {} closed", port());
  }

  /** A {@link #close} that waits for streams to end, or a later one, waits no more: it ends them now. Never blocks. */
  public void hurry() {
    hurried.complete(null);
  }

  private void awaitDrained() {
    try {
      CompletableFuture.anyOf(relay.drain(), hurried)
          .get(config.limits().drain().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "streams still run after {} s, the time to drain: they are ended",
          config.limits().drain().toSeconds());
    } catch (ExecutionException e) {
      throw new IllegalStateException("draining failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
