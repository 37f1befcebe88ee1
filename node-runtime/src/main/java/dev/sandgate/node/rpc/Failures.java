// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import com.google.protobuf.Any;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.Status;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.vertx.grpc.common.GrpcStatus;
import java.nio.charset.StandardCharsets;
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
  private static final int HEADER_BYTES = 6_000;
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

  /** The message for a human, cut so that it fits into headers, once as text and once in the details. */
  public static String message(SandgateException failure) {
    String text = String.valueOf(failure.getMessage());
    int bytes = 0;
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      bytes += inHeaders(text.codePointAt(at));
      if (bytes > HEADER_BYTES) {
        return text.substring(0, at) + "…";
      }
    }
    return text;
  }

  /** Text is percent-encoded unless it is printable ASCII, and details are in Base64. */
  private static int inHeaders(int character) {
    boolean plain = character >= ' ' && character <= '~' && character != '%';
    int bytes = Character.toString(character).getBytes(StandardCharsets.UTF_8).length;
    return plain ? 1 + 2 : (3 + 2) * bytes;
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
