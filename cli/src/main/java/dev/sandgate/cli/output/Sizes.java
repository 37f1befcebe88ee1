// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and times as humans write and read them. */
public final class Sizes {

  private static final Pattern BYTES =
      Pattern.compile("(\\d{1,15})([kmgt]?)(i?b)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final String UNITS = "kmgt";

  private Sizes() {}

  /** Reads 512m, 1g, 65536. */
  public static long bytes(String text) {
    Matcher matcher = BYTES.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no size: write 512m, 1g or bytes");
    }
    int unit =
        matcher.group(2).isEmpty()
            ? 0
            : 1 + UNITS.indexOf(matcher.group(2).toLowerCase(Locale.ROOT));
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * unit));
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException("'" + text + "' is more than fits into 8 EiB", overflow);
    }
  }

  /** Reads 500ms, 30s, 5m, 2h, 7d. */
  public static Duration time(String text) {
    Matcher matcher = TIME.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no time: write 500ms, 30s, 5m, 2h or 7d");
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }

  /** Shows 12.3 MiB. */
  public static String show(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length()) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(
            Locale.ROOT, "%.1f %siB", value, UNITS.toUpperCase(Locale.ROOT).charAt(unit - 1));
  }

  /** Shows 850 ms, 12.3 s, 5 m 3 s. */
  public static String show(Duration time) {
    long millis = time.toMillis();
    if (millis < 1_000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
    return millis < 3_600_000
        ? millis / 60_000 + " m " + millis / 1_000 % 60 + " s"
        : millis / 3_600_000 + " h " + millis / 60_000 % 60 + " m";
  }
}
