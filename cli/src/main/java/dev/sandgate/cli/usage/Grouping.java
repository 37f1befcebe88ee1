// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.usage;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.proto.v1.MeterGrouping;
import java.util.Locale;

/**
 * What figures are added up by.
 *
 * @param by as the API has it
 * @param label the key, when it is a label
 */
record Grouping(MeterGrouping by, String label) {

  private static final String LABEL = "label:";

  static Grouping of(String word) {
    return switch (word) {
      case "sandbox" -> new Grouping(MeterGrouping.METER_GROUPING_UNSPECIFIED, "");
      case "class" -> new Grouping(MeterGrouping.METER_GROUPING_CLASS, "");
      case "node" -> new Grouping(MeterGrouping.METER_GROUPING_NODE, "");
      case "rollout", "job", "episode" -> new Grouping(MeterGrouping.METER_GROUPING_LABEL, word);
      default -> new Grouping(MeterGrouping.METER_GROUPING_LABEL, label(word));
    };
  }

  private static String label(String word) {
    if (!word.startsWith(LABEL) || word.length() == LABEL.length()) {
      throw CommandFailure.usage(
          "--by: '"
              + word
              + "' is unknown, give sandbox, rollout, job, episode, class, node or label:KEY");
    }
    return word.substring(LABEL.length());
  }

  /** Whether each sandbox stands for itself. */
  boolean isBySandbox() {
    return by == MeterGrouping.METER_GROUPING_UNSPECIFIED;
  }

  /** A column's header. */
  String header() {
    return switch (by) {
      case METER_GROUPING_LABEL -> label.toUpperCase(Locale.ROOT);
      case METER_GROUPING_CLASS -> "CLASS";
      case METER_GROUPING_NODE -> "NODE";
      case METER_GROUPING_UNSPECIFIED, UNRECOGNIZED -> "SANDBOX";
    };
  }
}
