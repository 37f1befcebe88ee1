// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.Command;
import io.smallrye.mutiny.Uni;

/**
 * One persistent shell: directory, variables, functions and options stay from one command to the next. One command at a
 * time; another one meanwhile fails with FAILED_PRECONDITION and does not run. {@link #run} and {@link #close} block and may
 * not be called on an event loop; the rest never does. Failures are SandgateClientException.
 */
public final class ShellSession implements AutoCloseable {

  private final Sessions sessions;
  private final Execs execs;
  private final String id;

  ShellSession(Sessions sessions, Execs execs, String id) {
    this.sessions = sessions;
    this.execs = execs;
    this.id = id;
  }

  /**
   * The session's id.
   *
   * @return unique in its sandbox
   */
  public String id() {
    return id;
  }

  /**
   * Lines for this session's shell, to be built further and given to {@link Execs}.
   *
   * @param script the lines
   * @return the command
   */
  public Command.Builder command(String script) {
    return Execs.shell(script).setSession(id);
  }

  /**
   * Runs lines to their end. Blocks.
   *
   * @param script the lines
   * @return the result; a non-zero exit code is a result, a syntax error is one
   */
  public ExecResult run(String script) {
    return Blocking.await(exec(script));
  }

  /**
   * Runs lines to their end.
   *
   * @param script the lines
   * @return the result; fails with FAILED_PRECONDITION when the session is busy or has ended, NOT_FOUND when there is none;
   *     otherwise as {@link Execs#run(Command)}
   */
  public Uni<ExecResult> exec(String script) {
    return execs.run(command(script).build());
  }

  /**
   * Starts lines, to follow what they do.
   *
   * @param script the lines
   * @return as {@link Execs#start(Command)}
   */
  public Uni<ExecHandle> start(String script) {
    return execs.start(command(script).build());
  }

  /**
   * Ends the session with everything that runs in it.
   *
   * @return whether it was known; idempotent
   */
  public Uni<Boolean> end() {
    return sessions.close(id);
  }

  /** Ends the session and waits until it is gone. Idempotent. Blocks. */
  @Override
  public void close() {
    Blocking.await(end());
  }
}
