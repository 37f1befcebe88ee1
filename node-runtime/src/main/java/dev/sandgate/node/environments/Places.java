// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** So much of one kind of work is done at once; four times as much waits its turn, and what is beyond is refused. For any thread. */
final class Places {

  private static final int WAITING_FOR_ONE = 4;

  private final String setting;
  private final int most;
  private final Semaphore free;
  private final Semaphore waiting;

  /**
   * All free.
   *
   * @param setting that says how many there are
   */
  Places(String setting, int most) {
    this.setting = setting;
    this.most = most;
    free = new Semaphore(most, true);
    waiting = new Semaphore(WAITING_FOR_ONE * most);
  }

  /** One that is taken, until it is closed. */
  interface Place extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Takes one, in the order of asking; blocks until one is free.
   *
   * @param progress is told when it has to wait
   * @throws SandgateException RESOURCE_EXHAUSTED when too many wait, CANCELLED when interrupted
   */
  Place take(Consumer<String> progress) {
    try {
      if (!free.tryAcquire(0, TimeUnit.SECONDS)) {
        await(progress);
      }
      return free::release;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    }
  }

  private void await(Consumer<String> progress) throws InterruptedException {
    if (!waiting.tryAcquire()) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          setting,
          "%s: %d are under way and %d wait; try again later, or raise the setting"
              .formatted(setting, most, WAITING_FOR_ONE * most),
          null);
    }
    try {
      progress.accept("waiting for one of %d to end".formatted(most));
      free.acquire();
    } finally {
      waiting.release();
    }
  }
}
