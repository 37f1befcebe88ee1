// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client.rpc;

import dev.sandgate.proto.v1.ErrorDetail;
import io.vertx.grpc.common.GrpcStatus;
import org.jspecify.annotations.Nullable;

/** How a call failed: gRPC status, message, the platform's detail if it sent one, and whether the request left. */
public final class RpcFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final GrpcStatus status;
  private final transient ErrorDetail detail;
  private final boolean sent;
  private boolean callers;

  RpcFailure(GrpcStatus status, String message, ErrorDetail detail) {
    super(message);
    this.status = status;
    this.detail = detail;
    this.sent = true;
  }

  private RpcFailure(GrpcStatus status, String message, boolean sent, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.detail = ErrorDetail.getDefaultInstance();
    this.sent = sent;
  }

  /**
   * A failure found on this side before the request left.
   *
   * @param message what happened
   * @param cause the underlying failure
   * @return UNAVAILABLE, not sent
   */
  public static RpcFailure unsent(String message, @Nullable Throwable cause) {
    return new RpcFailure(GrpcStatus.UNAVAILABLE, message, false, cause);
  }

  /**
   * A failure found on this side after the request may have left.
   *
   * @param status what it counts as
   * @param message what happened
   * @param cause the underlying failure
   * @return the failure, sent
   */
  public static RpcFailure broken(GrpcStatus status, String message, @Nullable Throwable cause) {
    return new RpcFailure(status, message, true, cause);
  }

  /**
   * A failure of the requests that the caller gives.
   *
   * @param cause the caller's own failure
   * @return CANCELLED, sent
   */
  static RpcFailure ofCaller(Throwable cause) {
    String message = "cannot make the next request: " + cause.getMessage();
    RpcFailure failure = broken(GrpcStatus.CANCELLED, message, cause);
    failure.callers = true;
    return failure;
  }

  /**
   * Whether the caller's requests failed, for a reason that is the cause.
   *
   * @return true when neither the platform nor the connection failed
   */
  public boolean callers() {
    return callers;
  }

  /**
   * The gRPC status.
   *
   * @return never OK
   */
  public GrpcStatus status() {
    return status;
  }

  /**
   * What the platform said.
   *
   * @return the detail; the default instance when it sent none
   */
  public ErrorDetail detail() {
    return detail;
  }

  /**
   * Whether the request may have reached the other side.
   *
   * @return false when it surely did not
   */
  public boolean sent() {
    return sent;
  }
}
