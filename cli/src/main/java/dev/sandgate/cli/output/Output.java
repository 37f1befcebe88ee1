// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

/** How results are shown. */
public enum Output {
  /** For humans. */
  TABLE,
  /** For programs: JSON on stdout. */
  JSON
}
