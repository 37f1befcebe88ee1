// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.failure;

import io.vertx.grpc.common.GrpcStatus;

/** The error codes that a gateway gives by itself, a part of the API's numbered list. */
public enum Code {
  /** A field of the request is missing, malformed or out of range. */
  INVALID_ARGUMENT(101, GrpcStatus.INVALID_ARGUMENT),
  /** No such node, sandbox or environment. */
  NOT_FOUND(102, GrpcStatus.NOT_FOUND),
  /** The environment is in use. */
  FAILED_PRECONDITION(104, GrpcStatus.FAILED_PRECONDITION),
  /** The gateway cannot do this. */
  UNSUPPORTED(105, GrpcStatus.UNIMPLEMENTED),
  /** No key, or a wrong one. */
  UNAUTHENTICATED(106, GrpcStatus.UNAUTHENTICATED),
  /** A setting is wrong. */
  INVALID_CONFIG(111, GrpcStatus.FAILED_PRECONDITION),
  /** A limit is reached; later it may not be. */
  RESOURCE_EXHAUSTED(201, GrpcStatus.RESOURCE_EXHAUSTED),
  /** A deadline passed. */
  DEADLINE_EXCEEDED(202, GrpcStatus.DEADLINE_EXCEEDED),
  /** No node has a worker free for a call. */
  POOL_EXHAUSTED(203, GrpcStatus.RESOURCE_EXHAUSTED),
  /** A node does not answer; its sandboxes may be alive. */
  NODE_UNREACHABLE(301, GrpcStatus.UNAVAILABLE),
  /** No node offers the backend. */
  BACKEND_UNAVAILABLE(302, GrpcStatus.UNAVAILABLE),
  /** The shared directory of layers cannot be used. */
  LAYERS_UNAVAILABLE(304, GrpcStatus.UNAVAILABLE),
  /** The caller gave up. */
  CANCELLED(403, GrpcStatus.CANCELLED),
  /** A defect. */
  INTERNAL(499, GrpcStatus.INTERNAL);

  private final int number;
  private final GrpcStatus status;

  Code(int number, GrpcStatus status) {
    this.number = number;
    this.status = status;
  }

  /** Its stable number. */
  public int number() {
    return number;
  }

  /** How gRPC calls it. */
  public GrpcStatus status() {
    return status;
  }
}
