// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

/**
 * What a command was told to do, from which all follows that may be seen of it.
 *
 * @param execId its id, which is its token too
 * @param boxId the sandbox in which it is to run
 * @param stdout what it writes when nobody stops it
 * @param stderr likewise
 * @param exitCode with which it then ends
 * @param fate what is done to it
 */
public record Plan(
    String execId, String boxId, Content stdout, Content stderr, int exitCode, Fate fate) {

  /** What is done to a command. */
  public enum Fate {
    /** Nothing: it ends by itself, and all that it writes is kept. */
    FREE,
    /** More is written than is kept. */
    CAPPED,
    /** Its caller kills it on the way. */
    KILLED
  }

  boolean killed() {
    return fate == Fate.KILLED;
  }
}
