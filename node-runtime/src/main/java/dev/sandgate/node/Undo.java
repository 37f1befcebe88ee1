// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must be closed, last opened first; one failure does not keep the rest open. */
final class Undo {

  private static final Logger LOG = LoggerFactory.getLogger(Undo.class);

  private final ArrayDeque<Step> steps = new ArrayDeque<>();

  private record Step(String what, Action action) {}

  /** Closes something. */
  @FunctionalInterface
  interface Action {
    /** Closes it. */
    void run() throws Exception;
  }

  synchronized void push(String what, Action action) {
    steps.push(new Step(what, action));
  }

  synchronized void run() {
    while (!steps.isEmpty()) {
      Step step = steps.pop();
      try {
        step.action.run();
      } catch (Exception e) {
        LOG.warn("{} did not close well", step.what, e);
      }
    }
  }
}
