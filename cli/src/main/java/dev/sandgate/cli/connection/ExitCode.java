// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

/** What the process ends with. */
public final class ExitCode {

  /** Done. */
  public static final int OK = 0;

  /** Something failed; stderr says what. */
  public static final int FAILURE = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** The gateway or the node cannot be reached. */
  public static final int UNREACHABLE = 3;

  /** Only from exec and sh: the platform failed, not the command. */
  public static final int PLATFORM = 125;

  private ExitCode() {}
}
