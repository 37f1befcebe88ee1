// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** One at a time has a name; others that want it wait their turn, and what is beyond a number is refused. For any thread. */
final class Turns {

  private static final int MOST_WAITING = 16;

  private final Map<String, Line> lines = new HashMap<>();

  private static final class Line {
    private final Semaphore free = new Semaphore(1, true);
    private int members;
  }

  /** A name that is had, until it is closed. */
  interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Takes a name; blocks until nobody else has it.
   *
   * @param progress is told when it has to wait
   * @throws SandgateException RESOURCE_EXHAUSTED when too many wait, CANCELLED when interrupted
   */
  Turn take(String name, Consumer<String> progress) {
    Line line = enter(name);
    try {
      if (!line.free.tryAcquire()) {
        progress.accept("waiting for another import of " + name);
        line.free.acquire();
      }
      return () -> {
        line.free.release();
        leave(name, line);
      };
    } catch (InterruptedException e) {
      leave(name, line);
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    }
  }

  private synchronized Line enter(String name) {
    Line line = lines.computeIfAbsent(name, _ -> new Line());
    if (line.members > MOST_WAITING) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "name",
          "name: %d imports of %s wait for one that is under way; try again later"
              .formatted(MOST_WAITING, name),
          null);
    }
    line.members++;
    return line;
  }

  private synchronized void leave(String name, Line line) {
    line.members--;
    if (line.members == 0) {
      lines.remove(name);
    }
  }
}
