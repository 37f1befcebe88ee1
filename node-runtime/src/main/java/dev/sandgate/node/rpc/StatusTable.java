// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import dev.sandgate.spi.ErrorCode;
import io.vertx.grpc.common.GrpcStatus;

/** The one table from error codes to gRPC statuses. */
final class StatusTable {

  private StatusTable() {}

  static GrpcStatus of(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT -> GrpcStatus.INVALID_ARGUMENT;
      case NOT_FOUND -> GrpcStatus.NOT_FOUND;
      case ALREADY_EXISTS -> GrpcStatus.ALREADY_EXISTS;
      case FAILED_PRECONDITION,
          LEASE_EXPIRED,
          ROOTFS_UNSAFE,
          EXEC_FAILED,
          FILE_FAILED,
          INVALID_CONFIG ->
          GrpcStatus.FAILED_PRECONDITION;
      case UNSUPPORTED -> GrpcStatus.UNIMPLEMENTED;
      case UNAUTHENTICATED -> GrpcStatus.UNAUTHENTICATED;
      case PERMISSION_DENIED -> GrpcStatus.PERMISSION_DENIED;
      case RESOURCE_EXHAUSTED, POOL_EXHAUSTED -> GrpcStatus.RESOURCE_EXHAUSTED;
      case DEADLINE_EXCEEDED -> GrpcStatus.DEADLINE_EXCEEDED;
      case NODE_UNREACHABLE, BACKEND_UNAVAILABLE, CONNECT_FAILED, LAYERS_UNAVAILABLE ->
          GrpcStatus.UNAVAILABLE;
      case SANDBOX_LOST -> GrpcStatus.ABORTED;
      case UNKNOWN_OUTCOME -> GrpcStatus.UNKNOWN;
      case CANCELLED -> GrpcStatus.CANCELLED;
      case INTERNAL -> GrpcStatus.INTERNAL;
    };
  }
}
