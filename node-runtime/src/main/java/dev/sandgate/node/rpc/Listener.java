// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import dev.sandgate.proto.http2.StreamFaults;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The open port: one server per event loop behind one address. */
public final class Listener {

  private static final int WINDOW_BYTES = 128 << 10;

  /** So many windows that calls whose commands do not read stdin cannot hold up the others of a connection. */
  private static final int CONNECTION_WINDOW_BYTES = 1 << 30;

  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final int MAX_STREAMS = 200_000;
  private static final int MAX_RESETS_PER_WINDOW = 100_000;
  private static final AtomicInteger SHARED_PORTS = new AtomicInteger();

  private final Vertx vertx;
  private final String deployment;
  private final int port;

  private Listener(Vertx vertx, String deployment, int port) {
    this.vertx = vertx;
    this.deployment = deployment;
    this.port = port;
  }

  /**
   * Where and for whom to listen.
   *
   * @param host an address of this host
   * @param port 0 for any free one
   * @param token what callers must show
   */
  public record Address(String host, int port, String token) {}

  /** Listens; completes when connections are accepted. */
  public static Future<Listener> open(
      Vertx vertx, Address address, Routes routes, Failures failures) {
    int shared = address.port() == 0 ? -SHARED_PORTS.incrementAndGet() : address.port();
    Token token = new Token(address.token());
    AtomicInteger actual = new AtomicInteger();
    DeploymentOptions each =
        new DeploymentOptions()
            .setInstances(Math.max(1, Runtime.getRuntime().availableProcessors()));
    return vertx
        .deployVerticle(
            () -> new Loop(new Dispatch(routes, token, failures), address.host(), shared, actual),
            each)
        .recover(failure -> Future.failedFuture(cannotListen(address, failure)))
        .map(id -> new Listener(vertx, id, actual.get()));
  }

  /** The actual port. */
  public int port() {
    return port;
  }

  /** Stops listening and ends all connections. */
  public Future<Void> close() {
    return vertx.undeploy(deployment);
  }

  private static SandgateException cannotListen(Address address, Throwable failure) {
    return new SandgateException(
        ErrorCode.INVALID_CONFIG,
        "node.port",
        "node.port: cannot listen on %s:%d (%s); choose a free port or 0"
            .formatted(address.host(), address.port(), failure.getMessage()),
        failure);
  }

  private static HttpServerOptions options() {
    return new HttpServerOptions()
        .setTcpNoDelay(true)
        .setCompressionSupported(false)
        .setDecompressionSupported(false)
        .setHttp2ClearTextEnabled(true)
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
        .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS_PER_WINDOW)
        .setTcpKeepAlive(true)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(MAX_STREAMS)
                .setInitialWindowSize(WINDOW_BYTES));
  }

  /** One event loop's server. */
  private static final class Loop extends VerticleBase {
    private final Dispatch dispatch;
    private final String host;
    private final int port;
    private final AtomicInteger actual;

    Loop(Dispatch dispatch, String host, int port, AtomicInteger actual) {
      this.dispatch = dispatch;
      this.host = host;
      this.port = port;
      this.actual = actual;
    }

    @Override
    public void init(Vertx vertx, Context context) {
      super.init(vertx, context);
      dispatch.bind(vertx);
    }

    @Override
    public Future<?> start() {
      HttpServer server =
          vertx
              .createHttpServer(options())
              .connectionHandler(
                  connection -> {
                    Flushes.consolidate(connection);
                    KeepAlive.watch(connection, SILENCE);
                    StreamFaults.contain(connection);
                    dispatch.opened(connection);
                  })
              .requestHandler(dispatch);
      return server.listen(port, host).onSuccess(open -> actual.set(open.actualPort()));
    }
  }
}
