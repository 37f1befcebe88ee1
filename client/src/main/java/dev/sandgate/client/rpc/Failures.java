// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import dev.sandgate.proto.v1.ErrorDetail;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcStatus;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Turns what Vert.x reports into RpcFailure. */
final class Failures {

  private Failures() {}

  /** No connection could be had: nothing left this machine. */
  static RpcFailure connect(Throwable cause) {
    return RpcFailure.unsent("cannot connect to the gateway: " + text(cause), cause);
  }

  /** The connection broke. */
  static RpcFailure lost(Throwable cause) {
    if (cause instanceof RpcFailure failure) {
      return failure;
    }
    if (cause instanceof GrpcErrorException reset) {
      return reset(reset.error());
    }
    return RpcFailure.broken(
        GrpcStatus.UNAVAILABLE, "connection to the gateway lost: " + text(cause), cause);
  }

  /** The stream was reset; the code may be one without a gRPC meaning. */
  static RpcFailure reset(@Nullable GrpcError error) {
    GrpcStatus status = error == null ? GrpcStatus.UNAVAILABLE : error.status;
    return RpcFailure.broken(status, "the stream was reset: " + status, null);
  }

  /** The status at the end of a stream: null for OK. A missing or unknown status is a failure. */
  static @Nullable RpcFailure status(GrpcClientResponse<?, ?> response) {
    GrpcStatus status = response.status();
    if (status == GrpcStatus.OK) {
      return null;
    }
    ErrorDetail detail = StatusDetails.parse(value(response, "grpc-status-details-bin"));
    String message = value(response, "grpc-message");
    String shown =
        message == null
            ? "no message"
            : QueryStringDecoder.decodeComponent(
                message.replace("+", "%2B"), StandardCharsets.UTF_8);
    return new RpcFailure(status == null ? GrpcStatus.UNKNOWN : status, shown, detail);
  }

  private static @Nullable String value(GrpcClientResponse<?, ?> response, String name) {
    String trailer = response.trailers().get(name);
    return trailer != null ? trailer : response.headers().get(name);
  }

  private static String text(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
