// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientOptions;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A real gRPC client of a gateway. */
public final class TestClient implements AutoCloseable {

  private final GrpcClient grpc;
  private final SocketAddress server;
  private final String key;

  /** How a call ended. */
  public record Outcome<A>(
      @Nullable GrpcStatus status, String message, List<A> answers, ErrorDetail detail) {}

  private TestClient(GrpcClient grpc, SocketAddress server, String key) {
    this.grpc = grpc;
    this.server = server;
    this.key = key;
  }

  /** A client with the right key. */
  public static TestClient of(Vertx vertx, Gateway gateway) {
    return of(vertx, gateway, "Bearer " + TestGateway.KEY);
  }

  /** A client with some authorization header. */
  public static TestClient of(Vertx vertx, Gateway gateway, String authorization) {
    HttpClientOptions options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false)
            .setHttp2ConnectionWindowSize(64 << 20)
            .setInitialSettings(new Http2Settings().setInitialWindowSize(1 << 20));
    GrpcClient grpc =
        GrpcClient.client(vertx, new GrpcClientOptions().setMaxMessageSize(64 << 20), options);
    return new TestClient(
        grpc, SocketAddress.inetSocketAddress(gateway.port(), "127.0.0.1"), authorization);
  }

  /** Begins a call. */
  public <Q, A> Future<GrpcClientRequest<Q, A>> request(ServiceMethod<A, Q> method) {
    return grpc.request(server, method)
        .onSuccess(
            request -> {
              if (!key.isEmpty()) {
                request.headers().set("authorization", key);
              }
            });
  }

  /** Makes a call with one message; completes when it ended, however. */
  public <Q, A> Outcome<A> call(ServiceMethod<A, Q> method, Q message) {
    return Await.result(
        request(method)
            .compose(
                request -> {
                  request.end(message);
                  // On the call's own thread: a handler that is set later would miss what has come.
                  return request.response().compose(TestClient::collected);
                }));
  }

  /** Everything a response has. */
  public static <Q, A> Future<Outcome<A>> collected(GrpcClientResponse<Q, A> response) {
    List<A> answers = new ArrayList<>();
    response.handler(answers::add);
    return response
        .end()
        .transform(
            _ ->
                Future.succeededFuture(
                    new Outcome<>(response.status(), text(response), answers, detail(response))));
  }

  // Vert.x looks for it in the headers only.
  private static String text(GrpcClientResponse<?, ?> response) {
    String trailer = response.trailers().get("grpc-message");
    return trailer == null
        ? String.valueOf(response.statusMessage())
        : URLDecoder.decode(trailer.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** The error detail of an ended response; empty if it has none. */
  public static ErrorDetail detail(GrpcClientResponse<?, ?> response) {
    String name = "grpc-status-details-bin";
    String encoded = response.trailers().get(name);
    if (encoded == null) {
      encoded = response.headers().get(name);
    }
    return encoded == null ? ErrorDetail.getDefaultInstance() : detail(encoded);
  }

  /** The error detail in a {@code grpc-status-details-bin}; empty if it is not ours. */
  public static ErrorDetail detail(String encoded) {
    try {
      Status status = Status.parseFrom(Base64.getDecoder().decode(encoded));
      return status.getDetails(0).unpack(ErrorDetail.class);
    } catch (InvalidProtocolBufferException | IndexOutOfBoundsException e) {
      return ErrorDetail.getDefaultInstance();
    }
  }

  @Override
  public void close() {
    Await.result(grpc.close());
  }
}
