// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.Any;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Base64;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns any throwable into what a caller may see. */
public final class Failures {

  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
  private static final int MESSAGE_LIMIT = 2_000;
  private static final long RETRY_MILLIS = 1_000;

  private final String nodeId;

  public Failures(String nodeId) {
    this.nodeId = nodeId;
  }

  /** The exception of the contract that a failure is; a defect is logged under an id and hidden. */
  public static SandgateException known(Throwable failure) {
    Throwable cause = unwrapped(failure);
    return switch (cause) {
      case SandgateException known -> known;
      case CancellationException _ ->
          new SandgateException(ErrorCode.CANCELLED, "the call was cancelled");
      case InterruptedException _ ->
          new SandgateException(ErrorCode.CANCELLED, "the call was cancelled");
      case TimeoutException _ ->
          new SandgateException(ErrorCode.DEADLINE_EXCEEDED, "it took too long");
      default -> defect(cause);
    };
  }

  /** What is sent beside the status. */
  public ErrorDetail detail(SandgateException failure) {
    boolean retry =
        failure.code() == ErrorCode.RESOURCE_EXHAUSTED
            || failure.code() == ErrorCode.POOL_EXHAUSTED;
    return ErrorDetail.newBuilder()
        .setNumber(failure.code().number())
        .setCode(failure.code().name())
        .setField(failure.field())
        .setRetryAfterMillis(retry ? RETRY_MILLIS : 0)
        .setNodeId(nodeId)
        .build();
  }

  /** The message for a human, cut to a length that fits into a header. */
  public static String message(SandgateException failure) {
    String text = String.valueOf(failure.getMessage());
    return text.length() <= MESSAGE_LIMIT ? text : text.substring(0, MESSAGE_LIMIT) + "…";
  }

  /** The value of {@code grpc-status-details-bin}. */
  String details(SandgateException failure) {
    GrpcStatus status = StatusTable.of(failure.code());
    Status message =
        Status.newBuilder()
            .setCode(status.code)
            .setMessage(message(failure))
            .addDetails(Any.pack(detail(failure)))
            .build();
    return Base64.getEncoder().withoutPadding().encodeToString(message.toByteArray());
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static SandgateException defect(Throwable cause) {
    String id = UUID.randomUUID().toString();
    LOG.error("defect {}", id, cause);
    return new SandgateException(
        ErrorCode.INTERNAL,
        "",
        "an internal error occurred; the node's log has it under " + id,
        cause);
  }
}
