// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

/** How a command ended for who followed it. */
public sealed interface Ending {

  /**
   * Its result was told.
   *
   * @param exitCode 0–255, 128 + signal when a signal ended it
   * @param signal or 0
   * @param killReason why the platform killed it, or empty
   * @param stdoutBytes how much it wrote
   * @param stderrBytes likewise
   */
  record Exited(int exitCode, int signal, String killReason, long stdoutBytes, long stderrBytes)
      implements Ending {}

  /**
   * The platform says that it does not know.
   *
   * @param killReason SANDBOX_LOST or empty
   */
  record Unknown(String killReason) implements Ending {}

  /**
   * The platform says that its sandbox is gone.
   *
   * @param code of the error
   */
  record Lost(String code) implements Ending {}

  /**
   * Something that was not promised.
   *
   * @param what was seen
   */
  record Surprise(String what) implements Ending {}
}
