// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command to run. It is executed without a shell.
 *
 * @param id chosen by the caller, unique in the sandbox, 1–64 characters of {@code [A-Za-z0-9._-]}
 * @param argv program and arguments, at least one; a program without a slash is searched in {@code PATH}
 * @param env added to the sandbox's environment
 * @param cwd absolute working directory; empty for the user's home
 * @param user a name or number known inside; empty for the sandbox's user
 * @param stdin whether stdin stays open for {@link Exec#write}; otherwise the command reads end of file
 * @param terminal the size of the terminal to run it in; empty for pipes
 * @param openFiles descriptor limit of the command, 0 for the sandbox's
 */
public record ExecSpec(
    String id,
    List<String> argv,
    Map<String, String> env,
    String cwd,
    String user,
    boolean stdin,
    Optional<TerminalSize> terminal,
    int openFiles) {

  /** Freezes the collections. */
  public ExecSpec {
    argv = List.copyOf(argv);
    env = Map.copyOf(env);
  }

  /**
   * A plain command: no stdin, no terminal, the sandbox's user and home.
   *
   * @param id the exec's id
   * @param argv program and arguments
   * @return the spec
   */
  public static ExecSpec of(String id, String... argv) {
    return new ExecSpec(id, List.of(argv), Map.of(), "", "", false, Optional.empty(), 0);
  }
}
