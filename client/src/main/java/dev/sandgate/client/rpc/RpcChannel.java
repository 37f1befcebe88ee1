// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The connections to one gateway; calls take them in turn. */
public final class RpcChannel {

  private static final int STREAM_WINDOW_BYTES = 1 << 20;
  private static final int CONNECTION_WINDOW_BYTES = 1 << 30;
  private static final long MAX_MESSAGE_BYTES = 32L << 20;
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final List<RpcLane> lanes;
  private final AtomicInteger turn = new AtomicInteger();

  private RpcChannel(List<RpcLane> lanes) {
    this.lanes = lanes;
  }

  /**
   * Makes a channel; nothing is connected before the first call.
   *
   * @param vertx whose event loops to use
   * @param uri {@code http://host:port} or {@code https://host:port}
   * @param key sent as bearer token
   * @param connections how many, at least 1
   * @return the channel; a connection on which the gateway says nothing for 10 s, and for 10 s more after a ping, is lost
   */
  public static RpcChannel open(Vertx vertx, URI uri, String key, int connections) {
    return open(vertx, uri, key, connections, SILENCE);
  }

  /**
   * Makes a channel with another patience.
   *
   * @param vertx whose event loops to use
   * @param uri {@code http://host:port} or {@code https://host:port}
   * @param key sent as bearer token
   * @param connections how many, at least 1
   * @param silence after which the gateway is pinged, and after which again the connection is lost
   * @return the channel
   */
  public static RpcChannel open(
      Vertx vertx, URI uri, String key, int connections, Duration silence) {
    return new RpcChannel(
        IntStream.range(0, connections)
            .mapToObj(i -> lane((VertxInternal) vertx, uri, key, silence))
            .toList());
  }

  private static RpcLane lane(VertxInternal vertx, URI uri, String key, Duration silence) {
    SocketAddress server = SocketAddress.inetSocketAddress(port(uri), uri.getHost());
    boolean tls = "https".equals(uri.getScheme());
    GrpcClientOptions options = new GrpcClientOptions().setMaxMessageSize(MAX_MESSAGE_BYTES);
    return new RpcLane(
        vertx.createEventLoopContext(),
        () -> GrpcClient.client(vertx, options, transport(tls)),
        server,
        key,
        silence);
  }

  // The connection's window is so wide that streams nobody reads do not stop the others on it.
  private static HttpClientOptions transport(boolean tls) {
    return new HttpClientOptions()
        .setProtocolVersion(HttpVersion.HTTP_2)
        .setHttp2ClearTextUpgrade(false)
        .setSsl(tls)
        .setUseAlpn(tls)
        .setConnectTimeout(CONNECT_TIMEOUT_MILLIS)
        .setTcpKeepAlive(true)
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
        .setInitialSettings(new Http2Settings().setInitialWindowSize(STREAM_WINDOW_BYTES));
  }

  private static int port(URI uri) {
    if (uri.getPort() > 0) {
      return uri.getPort();
    }
    return "https".equals(uri.getScheme()) ? 443 : 80;
  }

  /**
   * The next connection in turn.
   *
   * @return a lane
   */
  public RpcLane lane() {
    return lanes.get(Math.floorMod(turn.getAndIncrement(), lanes.size()));
  }

  /**
   * Closes every connection; running calls fail.
   *
   * @return completes when closed
   */
  public Future<Void> close() {
    return Future.join(lanes.stream().map(RpcLane::close).toList()).mapEmpty();
  }
}
