// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.client.rpc.RpcFailure;
import dev.sandgate.proto.v1.ErrorDetail;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one exception of the client: what went wrong, whose fault it is, and when to try again. */
public final class SandgateClientException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME";
  private static final int UNKNOWN_OUTCOME_NUMBER = 402;

  private final String code;
  private final int number;
  private final String field;
  private final String nodeId;
  private final long retryAfterMillis;
  private final boolean requestSent;
  private final boolean transportLost;

  private SandgateClientException(ErrorDetail detail, String message, RpcFailure failure) {
    super(message, failure);
    this.code = detail.getCode().isEmpty() ? failure.status().name() : detail.getCode();
    this.number = detail.getNumber();
    this.field = detail.getField();
    this.nodeId = detail.getNodeId();
    this.retryAfterMillis = detail.getRetryAfterMillis();
    this.requestSent = failure.sent() && !detail.getNotSent();
    this.transportLost = lost(failure, detail);
  }

  private SandgateClientException(
      String code, int number, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.number = number;
    this.field = "";
    this.nodeId = "";
    this.retryAfterMillis = 0;
    this.requestSent = true;
    this.transportLost = false;
  }

  // A reset that we did not ask for says as little about the outcome as a broken connection.
  private static boolean lost(RpcFailure failure, ErrorDetail detail) {
    if (detail.getNumber() != 0) {
      return detail.getCode().equals("NODE_UNREACHABLE");
    }
    return switch (failure.status()) {
      case UNAVAILABLE, CANCELLED, UNKNOWN, INTERNAL -> true;
      default -> false;
    };
  }

  static Throwable of(Throwable failure) {
    if (!(failure instanceof RpcFailure rpc)) {
      return failure;
    }
    Throwable cause = rpc.getCause();
    return rpc.callers() && cause != null ? cause : of(rpc);
  }

  static SandgateClientException of(RpcFailure failure) {
    return new SandgateClientException(
        failure.detail(), String.valueOf(failure.getMessage()), failure);
  }

  static SandgateClientException of(ErrorDetail detail, String message) {
    RpcFailure carrier = RpcFailure.broken(GrpcStatus.UNKNOWN, message, null);
    return new SandgateClientException(detail, message, carrier);
  }

  static SandgateClientException unknownOutcome(String message, @Nullable Throwable cause) {
    return new SandgateClientException(UNKNOWN_OUTCOME, UNKNOWN_OUTCOME_NUMBER, message, cause);
  }

  static SandgateClientException internal(String message) {
    return new SandgateClientException("INTERNAL", 499, message, null);
  }

  static SandgateClientException exhausted(String message) {
    return new SandgateClientException("RESOURCE_EXHAUSTED", 201, message, null);
  }

  static SandgateClientException precondition(String message) {
    return new SandgateClientException("FAILED_PRECONDITION", 104, message, null);
  }

  /**
   * What happened and what to do about it, for a human.
   *
   * @return never null
   */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }

  /**
   * The kind of error: a name of the platform's list such as {@code INVALID_ARGUMENT}, or, when the answer did not
   * come from the platform, the gRPC status such as {@code UNAVAILABLE}.
   *
   * @return never empty
   */
  public String code() {
    return code;
  }

  /**
   * The kind's stable number: 1xx the caller's, 2xx resources, 3xx external, 4xx internal.
   *
   * @return the number, or 0 when the answer did not come from the platform
   */
  public int number() {
    return number;
  }

  /**
   * The request field at fault, in the API's spelling, for example {@code limits.memory_bytes}.
   *
   * @return the field, or empty
   */
  public String field() {
    return field;
  }

  /**
   * The node that answered.
   *
   * @return its id, or empty when the gateway or nobody did
   */
  public String nodeId() {
    return nodeId;
  }

  /**
   * When trying again makes sense.
   *
   * @return from now, or empty when it does not or is not known
   */
  public Optional<Duration> retryAfter() {
    return retryAfterMillis == 0
        ? Optional.empty()
        : Optional.of(Duration.ofMillis(retryAfterMillis));
  }

  /**
   * Whether the request may have reached the platform.
   *
   * @return false when it surely did not, so that repeating it is safe
   */
  public boolean requestSent() {
    return requestSent;
  }

  /** Whether the node is away and has seen nothing: asking again once it is back does nothing twice. */
  boolean worthRepeating() {
    return !requestSent && code.equals("NODE_UNREACHABLE");
  }

  /**
   * Whether nothing is known of the outcome: the connection or the node was lost on the way.
   *
   * @return true when a command or change may or may not have happened
   */
  public boolean outcomeUnknown() {
    return code.equals(UNKNOWN_OUTCOME) || (requestSent && transportLost);
  }

  /**
   * Whether the gateway or the node could not be reached, before or after the request left.
   *
   * @return true for a failure of the transport
   */
  public boolean unreachable() {
    return transportLost;
  }
}
