// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.checks;

import static dev.sandgate.spi.SandgateException.invalid;

import java.util.Map;
import java.util.regex.Pattern;

/** Checks of maps: environment variables and labels. */
public final class Variables {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern LABEL = Pattern.compile("[a-z0-9._/-]{1,63}");
  private static final int MAX_VARIABLES = 256;
  private static final int MAX_BYTES = 32 << 10;
  private static final int MAX_LABELS = 64;
  private static final int MAX_LABEL_BYTES = 256;
  private static final String RESERVED = "sandgate";

  private Variables() {}

  /** Environment variables: at most 256, 32 KiB together. */
  public static Map<String, String> environment(String field, Map<String, String> env) {
    if (env.size() > MAX_VARIABLES) {
      throw invalid(
          field,
          "%,d variables are too many; give at most %d".formatted(env.size(), MAX_VARIABLES));
    }
    int bytes = 0;
    for (Map.Entry<String, String> entry : env.entrySet()) {
      Fields.matches(field, entry.getKey(), NAME, "names of [A-Za-z_][A-Za-z0-9_]*");
      Fields.text(field + "[" + entry.getKey() + "]", entry.getValue());
      bytes += Fields.bytes(entry.getKey()) + Fields.bytes(entry.getValue()) + 2;
    }
    if (bytes > MAX_BYTES) {
      throw invalid(field, "%,d bytes are too many; give at most 32 KiB together".formatted(bytes));
    }
    return env;
  }

  /** Labels: at most 64; keys that the platform keeps for itself are refused. */
  public static Map<String, String> labels(String field, Map<String, String> labels) {
    if (labels.size() > MAX_LABELS) {
      throw invalid(
          field, "%,d labels are too many; give at most %d".formatted(labels.size(), MAX_LABELS));
    }
    labels.forEach((key, value) -> label(field, key, value));
    return labels;
  }

  private static void label(String field, String key, String value) {
    Fields.matches(field, key, LABEL, "keys of [a-z0-9._/-]{1,63}");
    if (key.startsWith(RESERVED)) {
      throw invalid(
          field, "keys that begin with \"sandgate\" are reserved; rename " + Fields.shown(key));
    }
    Fields.text(field + "[" + key + "]", value, MAX_LABEL_BYTES);
  }
}
