// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.top;

import dev.sandgate.cli.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The terminal's other screen, until it is closed, at the latest at the end of the process; q and Ctrl-C leave it. */
final class Screen implements AutoCloseable {

  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String REST_OF_LINE = "\u001b[K";
  private static final String REST_OF_SCREEN = "\u001b[J";
  private static final int CTRL_C = 3;

  private final PrintWriter out;
  private final Terminal terminal = Terminal.raw();
  private final CountDownLatch left = new CountDownLatch(1);
  private final AtomicBoolean restored = new AtomicBoolean();

  /** Shows it, empty. */
  Screen(PrintWriter out) {
    this.out = out;
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "leave-screen"));
    write(ENTER);
    Thread.ofPlatform().daemon().name("keys").start(this::keys);
  }

  private void keys() {
    try {
      int key = System.in.read();
      while (key >= 0 && key != 'q' && key != CTRL_C) {
        key = System.in.read();
      }
    } catch (IOException gone) {
      // Nobody is there any more.
    }
    left.countDown();
  }

  /** Waits; whether somebody wants to leave by then, or a signal has come. */
  boolean isLeft(Duration wait) {
    try {
      return left.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException signal) {
      return true; // what it was is known to Interruption, and there is something to close
    }
  }

  /** Shows what fits of these lines. */
  void draw(List<String> lines) {
    int columns = Terminal.columns();
    int rows = Terminal.rows();
    StringBuilder frame = new StringBuilder(HOME);
    for (int i = 0; i < Math.min(rows, lines.size()); i++) {
      frame.append(i == 0 ? "" : "\r\n").append(cut(lines.get(i), columns)).append(REST_OF_LINE);
    }
    write(frame.append(REST_OF_SCREEN).toString());
  }

  private static String cut(String line, int columns) {
    return line.codePointCount(0, line.length()) <= columns
        ? line
        : line.substring(0, line.offsetByCodePoints(0, columns));
  }

  private void write(String text) {
    out.print(text);
    out.flush();
  }

  @Override
  public void close() {
    if (restored.compareAndSet(false, true)) {
      write(LEAVE);
      terminal.close();
    }
  }
}
