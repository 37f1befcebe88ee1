// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.checks;

import static dev.sandgate.spi.SandgateException.invalid;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Checks of single fields; each throws INVALID_ARGUMENT with the field's name and the fix. */
public final class Fields {

  private static final Pattern CALLER_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern SESSION_ID = Pattern.compile("[A-Za-z0-9._-]{1,60}");
  private static final Pattern SANDBOX_ID = Pattern.compile("[a-z0-9-]{1,63}");
  private static final int MAX_PATH_BYTES = 4_095;
  private static final int MAX_USER = 64;

  private Fields() {}

  /** A number between two bounds. */
  public static long range(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw invalid(field, "%,d is out of range; give %,d … %,d".formatted(value, least, most));
    }
    return value;
  }

  /** A number between two bounds, or 0 for a default. */
  public static long rangeOr(String field, long value, long least, long most, long otherwise) {
    return value == 0 ? otherwise : range(field, value, least, most);
  }

  /** Text that matches, as the rule says in words. */
  public static String matches(String field, String value, Pattern pattern, String rule) {
    if (!pattern.matcher(value).matches()) {
      throw invalid(field, "%s is not allowed; give %s".formatted(shown(value), rule));
    }
    return value;
  }

  /** An id that a caller chose. */
  public static String callerId(String field, String value) {
    return matches(field, value, CALLER_ID, "1–64 characters of [A-Za-z0-9._-]");
  }

  /** An id of a session that a caller chose. */
  public static String sessionId(String field, String value) {
    return matches(field, value, SESSION_ID, "1–60 characters of [A-Za-z0-9._-]");
  }

  /** The form of a sandbox's id. */
  public static String sandboxId(String field, String value) {
    return matches(field, value, SANDBOX_ID, "the sandbox_id of a create answer");
  }

  /** Text without NUL. */
  public static String text(String field, String value) {
    if (value.indexOf('\0') >= 0) {
      throw invalid(field, "it has a NUL character; remove it");
    }
    return value;
  }

  /** Text without NUL, of bounded length. */
  public static String text(String field, String value, int maxBytes) {
    text(field, value);
    int bytes = bytes(value);
    if (bytes > maxBytes) {
      throw invalid(field, "%,d bytes are too many; give at most %,d".formatted(bytes, maxBytes));
    }
    return value;
  }

  /** An absolute path inside a sandbox. */
  public static String path(String field, String value) {
    text(field, value, MAX_PATH_BYTES);
    if (!value.startsWith("/")) {
      throw invalid(field, "%s is not absolute; begin it with /".formatted(shown(value)));
    }
    return value;
  }

  /** A working directory: absolute, without dots, not below /proc; or empty. */
  public static String workingDirectory(String field, String value) {
    if (value.isEmpty()) {
      return value;
    }
    path(field, value);
    for (String part : value.split("/", -1)) {
      if (part.equals(".") || part.equals("..")) {
        throw invalid(
            field, "%s has . or .. in it; give the path without them".formatted(shown(value)));
      }
    }
    String normal = value.replaceAll("/+", "/");
    if (normal.equals("/proc") || normal.startsWith("/proc/")) {
      throw invalid(
          field, "%s is below /proc; give a directory of a file system".formatted(shown(value)));
    }
    return value;
  }

  /** A user's name or number, or empty. */
  public static String user(String field, String value) {
    text(field, value, MAX_USER);
    if (value.startsWith("-") || value.indexOf(':') >= 0 || value.indexOf('/') >= 0) {
      throw invalid(field, "%s is no user; give a name or a number".formatted(shown(value)));
    }
    return value;
  }

  /** A user as above, and after a colon a group in the place of its own, by name or number; or empty. */
  public static String account(String field, String value) {
    String[] parts = value.split(":", 2);
    user(field, parts[0]);
    if (parts.length == 2 && (parts[0].isEmpty() || user(field, parts[1]).isEmpty())) {
      throw invalid(field, "%s is no user; give USER or USER:GROUP".formatted(shown(value)));
    }
    return value;
  }

  /** How many bytes text has on the wire. */
  public static int bytes(String value) {
    return value.getBytes(StandardCharsets.UTF_8).length;
  }

  /** A value as an error message may show it: short, printable. */
  public static String shown(String value) {
    String head = value.length() <= 64 ? value : value.substring(0, 64) + "…";
    return "\"" + head.replaceAll("\\p{Cntrl}", "?") + "\"";
  }
}
