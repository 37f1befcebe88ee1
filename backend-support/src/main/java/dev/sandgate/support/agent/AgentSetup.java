// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import java.util.Map;

/**
 * What a guest is told once, when its root is in place.
 *
 * @param hostname seen inside; empty to leave it
 * @param user who runs commands that name no user
 * @param env for every command
 * @param openFiles descriptor limit of every command, 0 for the guest's own
 */
public record AgentSetup(String hostname, String user, Map<String, String> env, int openFiles) {

  /** Freezes the environment. */
  public AgentSetup {
    env = Map.copyOf(env);
  }
}
