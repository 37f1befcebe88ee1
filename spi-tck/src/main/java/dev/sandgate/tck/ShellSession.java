// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import java.util.concurrent.atomic.AtomicLong;

/** An open session of a test; closing it ends its shell and has the guest forget it. */
final class ShellSession implements AutoCloseable {

  private static final AtomicLong NUMBERS = new AtomicLong();

  private final Sandbox sandbox;
  private final String id;
  private final Exec shell;
  private final Recorder events = new Recorder();
  private boolean released;

  private ShellSession(Sandbox sandbox, String id, Exec shell) {
    this.sandbox = sandbox;
    this.id = id;
    this.shell = shell;
    shell.events().subscribe(events);
  }

  static String newId() {
    return "s-" + NUMBERS.incrementAndGet();
  }

  static ShellSession open(Sandbox sandbox) {
    return open(sandbox, SessionSpec.of(newId()));
  }

  static ShellSession open(Sandbox sandbox, SessionSpec spec) {
    return new ShellSession(sandbox, spec.id(), Waiting.on(sandbox.openSession(spec)));
  }

  /** The same session in a sandbox that came back. */
  ShellSession attach(Sandbox back) {
    return new ShellSession(back, id, Waiting.on(back.attachSession(id)));
  }

  Running start(String script, boolean stdin) {
    Exec exec = Waiting.on(sandbox.runInSession(command(script, stdin)));
    Recorder recorder = new Recorder();
    exec.events().subscribe(recorder);
    return new Running(exec, recorder);
  }

  /** A script in a sandbox that came back. */
  Running attach(Sandbox back, Running before) {
    OutputOffsets start = OutputOffsets.START;
    Exec exec = Waiting.on(back.attachInSession(id, before.exec().id(), start));
    Recorder recorder = new Recorder(Long.MAX_VALUE, start);
    exec.events().subscribe(recorder);
    return new Running(exec, recorder);
  }

  Result run(String script) {
    return start(script, false).result();
  }

  /** How a script is refused. */
  ErrorCode refused(String script) {
    return Waiting.codeOf(sandbox.runInSession(command(script, false)));
  }

  /** How a script is refused after the end of the session, which the guest still knows. */
  ErrorCode refusedUnreleased(String script) {
    ended();
    return refused(script);
  }

  /** How the shell ended. */
  Result ended() {
    return events.result();
  }

  void release() {
    ended();
    Waiting.on(shell.release());
    released = true;
  }

  /** Kills the shell with everything that runs in it. */
  void end() {
    Waiting.on(shell.signal(9, SignalTarget.TREE));
    ended();
  }

  @Override
  public void close() {
    if (!released) {
      end();
      release();
    }
  }

  private SessionCommand command(String script, boolean stdin) {
    return new SessionCommand(id, "c-" + NUMBERS.incrementAndGet(), script, stdin);
  }
}
