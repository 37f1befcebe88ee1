// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.relay.NodeAddress;
import io.netty.util.AsciiString;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.server.GrpcServer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The gateway's own gRPC server: a node of its own as far as the relay is concerned, on loopback, behind a token. */
public final class OwnServices implements AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";
  private static final int TOKEN_BYTES = 32;

  private final HttpServer server;
  private final NodeAddress address;

  private OwnServices(HttpServer server, NodeAddress address) {
    this.server = server;
    this.address = address;
  }

  /** Starts the server; blocks until it listens. */
  public static OwnServices start(
      Vertx vertx, String ownId, List<NodeAddress> nodes, Duration callTimeout) {
    byte[] token = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(token);
    String bearer = HexFormat.of().formatHex(token);
    byte[] expected = ("Bearer " + bearer).getBytes(StandardCharsets.US_ASCII);
    GrpcServer grpc = GrpcServer.server(vertx);
    HttpServer server =
        await(
            vertx
                .createHttpServer(new HttpServerOptions().setHost(LOOPBACK).setPort(0))
                .requestHandler(request -> guarded(request, expected, grpc))
                .listen());
    return new OwnServices(server, new NodeAddress(ownId, LOOPBACK, server.actualPort(), bearer));
  }

  private static void guarded(HttpServerRequest request, byte[] expected, GrpcServer grpc) {
    if (matches(request.getHeader("authorization"), expected)) {
      grpc.handle(request);
    } else {
      request.response().setStatusCode(403).end();
    }
  }

  private static boolean matches(@Nullable String header, byte[] expected) {
    return header != null
        && MessageDigest.isEqual(header.getBytes(StandardCharsets.US_ASCII), expected);
  }

  /** The paths of the methods that it answers. */
  public static Set<AsciiString> paths() {
    return Set.of();
  }

  /** Where the relay finds it. */
  public NodeAddress address() {
    return address;
  }

  @Override
  public void close() {
    await(server.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
