// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import java.io.PrintWriter;
import java.time.Duration;

/** Tells how something goes: redraws one line on a terminal, prints few lines otherwise. Thread-safe. */
public final class Progress implements AutoCloseable {

  private static final long REDRAW_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LINE_NANOS = Duration.ofSeconds(5).toNanos();

  private final PrintWriter err;
  private final boolean terminal;
  private final boolean silent;
  private long lastNanos;
  private boolean drawn;

  Progress(PrintWriter err, boolean terminal, boolean silent) {
    this.err = err;
    this.terminal = terminal;
    this.silent = silent;
    this.lastNanos = terminal ? Long.MIN_VALUE : System.nanoTime();
  }

  /** What is true now; shown if enough time has passed since the last one. */
  public synchronized void update(String text) {
    long now = System.nanoTime();
    long pause = terminal ? REDRAW_NANOS : LINE_NANOS;
    if (!silent && (lastNanos == Long.MIN_VALUE || now - lastNanos >= pause)) {
      lastNanos = now;
      draw(text);
    }
  }

  private void draw(String text) {
    String shown = Printable.of(text);
    if (terminal) {
      err.print("\r\u001b[K" + shown);
      drawn = true;
    } else {
      err.println(shown);
    }
    err.flush();
  }

  /** A line that stays. */
  public synchronized void done(String text) {
    if (!silent) {
      clear();
      err.println(text);
      err.flush();
    }
  }

  private void clear() {
    if (drawn) {
      err.print("\r\u001b[K");
      err.flush();
      drawn = false;
    }
  }

  /** Removes the line that is redrawn. */
  @Override
  public synchronized void close() {
    clear();
  }
}
