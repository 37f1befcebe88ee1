// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.failure;

import com.google.protobuf.Any;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Base64;

/**
 * Why a call failed: the gRPC status, the message for a human and the detail for a program.
 *
 * @param status the gRPC status
 * @param message what happened and what to do about it
 * @param detail its machine-readable form
 */
public record Failure(GrpcStatus status, String message, ErrorDetail detail) {

  /** A failure without field, node or retry hint. */
  public static Failure of(Code code, String message) {
    ErrorDetail detail =
        ErrorDetail.newBuilder().setNumber(code.number()).setCode(code.name()).build();
    return new Failure(code.status(), message, detail);
  }

  /** A node that cannot be reached, with a hint when trying again makes sense. */
  public static Failure unreachable(String nodeId, long retryAfterMillis) {
    return of(
            Code.NODE_UNREACHABLE,
            "node " + nodeId + " cannot be reached; its sandboxes may be alive, try again")
        .node(nodeId)
        .retryAfterMillis(retryAfterMillis);
  }

  /** The same, naming the request field at fault. */
  public Failure field(String field) {
    return with(detail.toBuilder().setField(field));
  }

  /** The same, naming a node. */
  public Failure node(String nodeId) {
    return with(detail.toBuilder().setNodeId(nodeId));
  }

  /** The same, with the time after which to try again. */
  public Failure retryAfterMillis(long millis) {
    return with(detail.toBuilder().setRetryAfterMillis(millis));
  }

  /** The same, saying that no node has seen anything of the request. */
  public Failure notSent() {
    return with(detail.toBuilder().setNotSent(true));
  }

  /** The value of {@code grpc-status-details-bin}. */
  public String details() {
    Status encoded =
        Status.newBuilder()
            .setCode(status.code)
            .setMessage(message)
            .addDetails(Any.pack(detail))
            .build();
    return Base64.getEncoder().withoutPadding().encodeToString(encoded.toByteArray());
  }

  private Failure with(ErrorDetail.Builder changed) {
    return new Failure(status, message, changed.build());
  }
}
