// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

/** A failure that the command found by itself: a message for a human and what the process ends with. */
public final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** The command line is wrong; the message names the field and the fix. */
  public static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.USAGE, message);
  }

  /** Something failed; the message says what and how to go on. */
  public static CommandFailure failed(String message) {
    return new CommandFailure(ExitCode.FAILURE, message);
  }

  /** A command in a sandbox could not be followed to its end; the message says why. */
  public static CommandFailure unfollowed(String message) {
    return new CommandFailure(ExitCode.PLATFORM, message);
  }

  int exitCode() {
    return exitCode;
  }
}
