// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

/** On whose behalf nodes are asked. */
interface Caller {

  /** Somebody who never leaves: the gateway itself. */
  Caller NOBODY =
      new Caller() {
        @Override
        public Runnable whenGone(Runnable action) {
          return () -> {};
        }

        @Override
        public boolean gone() {
          return false;
        }
      };

  /** Runs something when the caller has left or was answered; what is returned takes that back. */
  Runnable whenGone(Runnable action);

  /** Whether the caller has left. */
  boolean gone();
}
