// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A blocking gRPC client for tests. */
public final class Rpc implements AutoCloseable {

  static final long PATIENCE_SECONDS = Long.getLong("patience", 30);

  private final GrpcClient client;
  private final SocketAddress address;
  private final String token;

  Rpc(Vertx vertx, int port, String token) {
    this.client =
        GrpcClient.client(
            vertx,
            new io.vertx.grpc.client.GrpcClientOptions().setMaxMessageSize(16 << 20),
            new HttpClientOptions()
                .setHttp2ClearTextUpgrade(false)
                .setHttp2MultiplexingLimit(1_000)
                .setHttp2ConnectionWindowSize(1 << 30));
    this.address = SocketAddress.inetSocketAddress(port, "127.0.0.1");
    this.token = token;
  }

  /** A call that ended with an error. */
  public static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient GrpcStatus status;
    private final transient ErrorDetail detail;

    Failed(GrpcStatus status, @Nullable String message, ErrorDetail detail) {
      super(status + ": " + message);
      this.status = status;
      this.detail = detail;
    }

    /** The gRPC status. */
    public GrpcStatus status() {
      return status;
    }

    /** The detail, empty if none came. */
    public ErrorDetail detail() {
      return detail;
    }
  }

  /** Calls a unary method. */
  public <Q extends MessageLite, A extends MessageLite> A unary(
      ServiceMethod<A, Q> method, Q request) {
    return stream(method, request).only();
  }

  /** Calls a method with one request; its answers come as they are taken. */
  public <Q extends MessageLite, A extends MessageLite> Answers<Q, A> stream(
      ServiceMethod<A, Q> method, Q request) {
    Answers<Q, A> answers = open(method, 0);
    answers.end(request);
    return answers;
  }

  /** Calls a method with one request and a deadline. */
  public <Q extends MessageLite, A extends MessageLite> Answers<Q, A> stream(
      ServiceMethod<A, Q> method, Q request, long deadlineMillis) {
    Answers<Q, A> answers = open(method, deadlineMillis);
    answers.end(request);
    return answers;
  }

  /** Opens a call with any number of requests. */
  public <Q extends MessageLite, A extends MessageLite> Answers<Q, A> open(
      ServiceMethod<A, Q> method, long deadlineMillis) {
    GrpcClientRequest<Q, A> request =
        await(client.request(address, method).toCompletionStage().toCompletableFuture());
    if (!token.isEmpty()) {
      request.headers().set("authorization", "Bearer " + token);
    }
    if (deadlineMillis > 0) {
      request.headers().set("grpc-timeout", deadlineMillis + "m");
    }
    return new Answers<>(request);
  }

  /** The client itself. */
  public GrpcClient client() {
    return client;
  }

  /** Where the node listens. */
  public SocketAddress address() {
    return address;
  }

  @Override
  public void close() {
    client.close();
  }

  static Failed failed(GrpcClientResponse<?, ?> response) {
    String details = response.trailers().get("grpc-status-details-bin");
    if (details == null) {
      details = response.headers().get("grpc-status-details-bin");
    }
    Status status = status(details);
    return new Failed(response.status(), status.getMessage(), detail(status));
  }

  static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }

  private static Status status(@Nullable String details) {
    try {
      return details == null
          ? Status.getDefaultInstance()
          : Status.parseFrom(Base64.getDecoder().decode(details));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ErrorDetail detail(Status status) {
    try {
      return status.getDetailsCount() == 0
          ? ErrorDetail.getDefaultInstance()
          : status.getDetails(0).unpack(ErrorDetail.class);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }
}
