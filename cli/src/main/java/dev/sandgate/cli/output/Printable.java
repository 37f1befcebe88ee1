// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import java.util.Locale;

/** Text that others chose, on a terminal: what would steer the terminal or break the line is shown as an escape. */
public final class Printable {

  private static final String STEERING =
      "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";

  private Printable() {}

  /** The text on one line. */
  public static String of(String text) {
    if (text.codePoints().allMatch(Printable::plain)) {
      return text;
    }
    StringBuilder shown = new StringBuilder();
    text.codePoints().forEach(c -> shown.append(plain(c) ? Character.toString(c) : escape(c)));
    return shown.toString();
  }

  private static boolean plain(int c) {
    return !Character.isISOControl(c) && STEERING.indexOf(c) < 0;
  }

  private static String escape(int c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> String.format(Locale.ROOT, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    };
  }
}
