// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What serves calls, one at a time: a sandbox, with a warm interpreter or without.
 *
 * @param guest its sandbox
 * @param interpreter that waits in it
 */
record Worker(Guest guest, Optional<Interpreter> interpreter) implements Pooled {

  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

  /** Makes one; blocks. */
  static Worker make(Host host, String id, WorkerKey key) {
    Guest guest = Guest.make(host, id, key);
    try {
      if (key.interpreter()) {
        return new Worker(guest, Optional.of(Interpreter.start(guest, key.preload())));
      }
      Programs.prepare(guest);
      return new Worker(guest, Optional.empty());
    } catch (RuntimeException e) {
      throw guest.undo().runBecause(Host.explain(e));
    }
  }

  String id() {
    return guest.id();
  }

  @Override
  public boolean isAlive() {
    return guest.isAlive() && interpreter.map(Interpreter::isAlive).orElse(true);
  }

  /**
   * Whether nothing of the last call is left, so that another one may follow; blocks until that is known. A worker without
   * an interpreter is never used twice: a new one costs less than to look.
   */
  @Override
  public boolean isClean() {
    try {
      return interpreter.isPresent() && isAlive() && interpreter.get().isClean();
    } catch (RuntimeException e) {
      LOG.warn("{} cannot be looked at, so it goes", id(), e);
      return false;
    }
  }

  @Override
  public void destroy() {
    try {
      guest.destroy();
    } catch (RuntimeException e) {
      LOG.error("{} could not be removed as a whole", id(), e);
    }
  }
}
