// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.load;

/** One measurement that {@code sandgate load NAME} runs; found by ServiceLoader. */
public interface LoadScenario {

  /** What the user types. */
  String name();

  /** The goal it proves, one line. */
  String goal();

  /**
   * Measures; blocks for as long as that takes and leaves nothing behind.
   *
   * @throws Exception when it cannot be measured; a goal that is missed is a report
   */
  LoadReport run(LoadArguments arguments) throws Exception;
}
