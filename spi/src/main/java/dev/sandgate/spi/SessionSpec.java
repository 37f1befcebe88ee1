// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.util.Map;

/**
 * A persistent shell to open.
 *
 * @param id chosen by the caller, unique among the sandbox's sessions, 1–60 characters of {@code [A-Za-z0-9._-]}; sessions
 *     and execs do not share ids
 * @param shell a program that takes {@code -c} as sh(1) does; empty for bash where there is one, else sh
 * @param env added to the sandbox's environment
 * @param cwd absolute directory to begin in; empty for the user's home
 * @param user a name or number known inside; empty for the sandbox's user
 */
public record SessionSpec(
    String id, String shell, Map<String, String> env, String cwd, String user) {

  /** Freezes the environment. */
  public SessionSpec {
    env = Map.copyOf(env);
  }

  /**
   * The usual shell of the sandbox's user in its home.
   *
   * @param id the session's id
   * @return the spec
   */
  public static SessionSpec of(String id) {
    return new SessionSpec(id, "", Map.of(), "", "");
  }
}
