// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_CREATING;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_FAILED;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_PAUSED;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_RUNNING;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_STOPPING;
import static dev.sandgate.proto.v1.SandboxState.SANDBOX_STATE_TERMINATED;

import dev.sandgate.proto.v1.SandboxState;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Which state may follow which: CREATING → RUNNING (⇄ PAUSED) → STOPPING → TERMINATED, or FAILED from any. */
final class Lifecycle {

  private static final Set<SandboxState> ENDED =
      EnumSet.of(SANDBOX_STATE_TERMINATED, SANDBOX_STATE_FAILED);

  private static final Map<SandboxState, Set<SandboxState>> NEXT =
      Map.of(
          SANDBOX_STATE_CREATING,
          EnumSet.of(SANDBOX_STATE_RUNNING, SANDBOX_STATE_STOPPING, SANDBOX_STATE_FAILED),
          SANDBOX_STATE_RUNNING,
          EnumSet.of(
              SANDBOX_STATE_PAUSED,
              SANDBOX_STATE_STOPPING,
              SANDBOX_STATE_TERMINATED,
              SANDBOX_STATE_FAILED),
          SANDBOX_STATE_PAUSED,
          EnumSet.of(
              SANDBOX_STATE_RUNNING,
              SANDBOX_STATE_STOPPING,
              SANDBOX_STATE_TERMINATED,
              SANDBOX_STATE_FAILED),
          SANDBOX_STATE_STOPPING,
          EnumSet.of(SANDBOX_STATE_TERMINATED, SANDBOX_STATE_FAILED));

  private Lifecycle() {}

  static boolean allows(SandboxState from, SandboxState to) {
    return NEXT.getOrDefault(from, Set.of()).contains(to);
  }

  /** Whether commands can be sent, perhaps once it has woken up. */
  static boolean takesCommands(SandboxState state) {
    return state == SANDBOX_STATE_RUNNING || state == SANDBOX_STATE_PAUSED;
  }

  static boolean ended(SandboxState state) {
    return ENDED.contains(state);
  }

  /** A state's name as people write it. */
  static String word(SandboxState state) {
    return state.name().substring("SANDBOX_STATE_".length());
  }
}
