// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Whether nothing of the caller's runs in a sandbox.
 *
 * @param commands ids of a sandbox's commands that run
 * @param sessions ids of its open sessions
 * @param begun how many commands were ever begun in it
 */
public record Quiet(
    Function<String, List<String>> commands,
    Function<String, List<String>> sessions,
    Function<String, Long> begun) {

  private static final int NAMED = 8;

  /** FAILED_PRECONDITION that names what runs; how many commands were begun until now. */
  long require(String sandboxId) {
    long until = begun.apply(sandboxId);
    List<String> running = new ArrayList<>();
    commands.apply(sandboxId).forEach(id -> running.add("command " + id));
    sessions.apply(sandboxId).forEach(id -> running.add("session " + id));
    if (!running.isEmpty()) {
      throw busy(
          "%s %s: wait for them, or set allow_running (--quiesce)"
              .formatted(
                  String.join(", ", running.subList(0, Math.min(NAMED, running.size()))),
                  running.size() > NAMED
                      ? "and %d more run".formatted(running.size() - NAMED)
                      : "run"));
    }
    return until;
  }

  /** FAILED_PRECONDITION when something was begun since. */
  void requireSince(String sandboxId, long until) {
    if (require(sandboxId) != until) {
      throw busy("commands were run meanwhile; try again, or set allow_running (--quiesce)");
    }
  }

  private static SandgateException busy(String why) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION, "allow_running", "allow_running: " + why, null);
  }
}
