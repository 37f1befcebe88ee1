// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.Termination;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;

/** Why a sandbox takes no commands, as callers are told. */
final class Refusals {

  private Refusals() {}

  static SandgateException endedWhileMade(String id, String reason, RuntimeException broken) {
    ErrorCode code = TimeLimits.Limit.names(reason) ? ErrorCode.LEASE_EXPIRED : ErrorCode.CANCELLED;
    return new SandgateException(
        code,
        "",
        "sandbox %s was ended (%s) while it was being made".formatted(id, reason),
        broken);
  }

  static SandgateException notRunning(Sandbox record, String endReason) {
    String state = Lifecycle.word(record.getState());
    Termination end = record.getTermination();
    String reason = end.getReason().isEmpty() ? endReason : end.getReason();
    String why = reason.isEmpty() ? "" : " (" + reason + ")";
    return new SandgateException(
        TimeLimits.Limit.names(reason) ? ErrorCode.LEASE_EXPIRED : ErrorCode.FAILED_PRECONDITION,
        "sandbox %s is %s%s and takes no commands".formatted(record.getSandboxId(), state, why));
  }
}
