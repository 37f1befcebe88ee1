// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.terminal;

import dev.sandgate.cli.output.Console;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** The caller's terminal in raw mode; given back as it was on close, and at the latest when the process ends. */
public final class Terminal implements AutoCloseable {

  private static final int STDIN = 0;
  private static final int STDOUT = 1;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment before = arena.allocate(LibC.TERMIOS_BYTES);
  private final AtomicBoolean restored = new AtomicBoolean();
  private final Thread atExit = new Thread(this::restore, "restore-terminal");

  private Terminal() {}

  /** Whether both stdin and stdout are terminals. */
  public static boolean present() {
    return Console.isTerminal(STDIN) && Console.isTerminal(STDOUT);
  }

  /** Puts the terminal into raw mode; one that cannot be stays as it is. */
  public static Terminal raw() {
    Terminal terminal = new Terminal();
    if (LibC.settings(STDIN, terminal.before)) {
      Runtime.getRuntime().addShutdownHook(terminal.atExit);
      MemorySegment raw = terminal.arena.allocate(LibC.TERMIOS_BYTES).copyFrom(terminal.before);
      LibC.makeRaw(raw);
      LibC.apply(STDIN, raw);
    } else {
      terminal.restored.set(true);
    }
    return terminal;
  }

  /** Columns of the terminal; 80 when there is none. */
  public static int columns() {
    return LibC.size(STDOUT)[0];
  }

  /** Rows of the terminal; 24 when there is none. */
  public static int rows() {
    return LibC.size(STDOUT)[1];
  }

  private void restore() {
    if (restored.compareAndSet(false, true)) {
      LibC.apply(STDIN, before);
    }
  }

  @Override
  public void close() {
    restore();
  }
}
