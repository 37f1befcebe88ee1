// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.terminal;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns signals that end this process into an interrupt of the thread that made it, so that this thread undoes what it
 * began; a thread that is not done in time is not waited for. A signal that was ignored at the start stays ignored.
 */
public final class Interruption implements AutoCloseable {

  private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);
  private static final int SIGNALLED = 128;
  private static final long LIMIT_SECONDS = 15;

  private final Thread worker = Thread.currentThread();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile int signal;
  private boolean undoing;

  Interruption() {}

  /** Work that leaves nothing half made behind when its thread is interrupted. */
  @FunctionalInterface
  public interface Undone {
    /** Does it; gives the exit code. */
    int run() throws IOException;
  }

  /** Runs something that a signal ends in order: its exit code, or 128 and the signal. */
  public static int ends(Undone work) throws IOException {
    try (Interruption interruption = listen(true)) {
      try {
        return interruption.exitCode(work.run());
      } catch (RuntimeException | IOException failure) {
        if (!interruption.taken(false)) {
          throw failure;
        }
        return interruption.exitCode(0);
      }
    }
  }

  /** Listens to HUP, TERM and, when asked, INT from now on. */
  public static Interruption listen(boolean interrupt) {
    Interruption interruption = new Interruption();
    NUMBERS.forEach(
        (name, number) -> {
          if (interrupt || !name.equals("INT")) {
            Signals.on(name, () -> interruption.arrived(number));
          }
        });
    return interruption;
  }

  void arrived(int number) {
    if (closed.getCount() == 0) {
      System.exit(SIGNALLED + number);
    }
    interrupt(number);
    try {
      if (!closed.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        System.exit(SIGNALLED + number);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void interrupt(int number) {
    signal = number;
    if (!undoing) {
      worker.interrupt();
    }
  }

  /**
   * Whether a signal came, for the thread that is to undo what it began. If so, or if it undoes it for another reason, nothing
   * interrupts it from now on: often two things tell of one end, a signal and a terminal that is gone.
   */
  public synchronized boolean taken(boolean undo) {
    boolean came = signal != 0;
    if (came || undo) {
      undoing = true;
      boolean _ = Thread.interrupted();
    }
    return came;
  }

  /** 128 and the signal when one came, otherwise what is given. */
  public int exitCode(int otherwise) {
    return signal == 0 ? otherwise : SIGNALLED + signal;
  }

  /** What is begun is done or undone: a signal from now on ends the process at once. */
  @Override
  public void close() {
    closed.countDown();
  }
}
