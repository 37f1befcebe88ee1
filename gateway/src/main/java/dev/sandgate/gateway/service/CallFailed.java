// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A call failed in a known way. */
final class CallFailed extends RuntimeException {

  private static final Logger LOG = LoggerFactory.getLogger(CallFailed.class);
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;
  private final boolean sent;

  CallFailed(Failure failure) {
    this(failure, true);
  }

  private CallFailed(Failure failure, boolean sent) {
    super(failure.message(), null, false, false);
    this.failure = failure;
    this.sent = sent;
  }

  /** The node was not reached, so it has seen nothing of the call. */
  static CallFailed neverSent(Failure failure) {
    return new CallFailed(failure, false);
  }

  /** Whether the node may have seen the call. */
  boolean sent() {
    return sent;
  }

  /** A field of the request is wrong. */
  static CallFailed invalid(String field, String message) {
    return new CallFailed(Failure.of(Code.INVALID_ARGUMENT, field + ": " + message).field(field));
  }

  Failure failure() {
    return failure;
  }

  /** Whether it is of a kind. */
  boolean is(Code code) {
    return failure.detail().getNumber() == code.number();
  }

  /** What may be shown of any failure; a defect is logged under an id and hidden. */
  static CallFailed of(Throwable cause) {
    if (cause instanceof CallFailed known) {
      return known;
    }
    String id = UUID.randomUUID().toString();
    LOG.error("defect {}", id, cause);
    return new CallFailed(
        Failure.of(
            Code.INTERNAL, "an internal error occurred; the gateway's log has it under " + id));
  }
}
