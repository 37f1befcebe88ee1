// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.seed;

import java.util.Locale;

/** What is done to the platform. */
public enum Fault {
  /** Connections are reset at once. */
  CUT,
  /** Connections are reset somewhere inside what is being sent. */
  CUT_INSIDE,
  /** Connections are ended in order. */
  CLOSE,
  /** What comes is dropped, both ways, and the connection stays open. */
  HALF_OPEN,
  /** The same for what goes to the node. */
  DEAF_UP,
  /** The same for what comes from the node. */
  DEAF_DOWN,
  /** Nothing passes for a while. */
  STALL,
  /** Everything is late for a while. */
  DELAY,
  /** Little passes for a while. */
  THROTTLE,
  /** Everything passes in pieces of an odd number of bytes for a while. */
  PIECES,
  /** New connections are reset for a while, and so are those that are open. */
  REFUSE,
  /** The gateway is killed and started again. */
  KILL_GATEWAY,
  /** The gateway stands still for a while. */
  STOP_GATEWAY,
  /** The node is killed and started again. */
  KILL_NODE,
  /** The node stands still for a while. */
  STOP_NODE,
  /** The node dies when a command is recorded and not started, and is started again. */
  AFTER_INTENT,
  /** The node dies when a command is started and nobody knows. */
  AFTER_SPAWN,
  /** The node dies when a command has ended and that is not recorded. */
  AFTER_EXIT,
  /** The node dies when a result is recorded and not told. */
  AFTER_RESULT,
  /** The agent of a sandbox is killed, and the sandbox with it. */
  KILL_AGENT;

  /** Whether it strikes connections, of clients or of the node. */
  public boolean strikesConnections() {
    return compareTo(REFUSE) <= 0;
  }

  /** As the node's setting, and a report, name it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
