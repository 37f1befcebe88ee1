// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.faults;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Named places at which the process ends at once, as if it were killed, when the system property {@code
 * dev.sandgate.fault} says so: {@code after-intent}, or {@code after-intent:id} for one command only. Without the property
 * passing one costs a comparison.
 */
public enum FaultPoint {
  /** A command's intent is durable, nothing was asked of the guest. */
  AFTER_INTENT,
  /** The guest has started a command. */
  AFTER_SPAWN,
  /** A command's exit is known, its result is not recorded. */
  AFTER_EXIT,
  /** A command's result is durable, nobody was told. */
  AFTER_RESULT,
  /** A sandbox is made, its record says that it is being made, and nobody was told. */
  AFTER_CREATE,
  /** A sandbox was reset, its commands are not ended and nobody was told. */
  AFTER_RESET,
  /** A sandbox is recorded as paused; it goes on, or is just being stopped. */
  AFTER_PAUSE_RECORD,
  /** A sandbox stands still, nobody was told. */
  AFTER_PAUSE,
  /** A sandbox goes on and is recorded as paused. */
  AFTER_RESUME;

  private static final int EXIT_CODE = 137;
  private static final String SETTING = System.getProperty("dev.sandgate.fault", "");
  private static final @Nullable FaultPoint ARMED = armed();
  private static final String SUBJECT = SETTING.substring(SETTING.indexOf(':') + 1);

  /** Ends the process when it is to end here. */
  public void pass(String subject) {
    if (this == ARMED && (!SETTING.contains(":") || SUBJECT.equals(subject))) {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }

  private static @Nullable FaultPoint armed() {
    if (SETTING.isEmpty()) {
      return null;
    }
    String name = SETTING.split(":", 2)[0];
    Set<String> known = new TreeSet<>();
    for (FaultPoint point : values()) {
      String written = point.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (written.equals(name)) {
        return point;
      }
      known.add(written);
    }
    throw new IllegalArgumentException("dev.sandgate.fault: " + name + " is none of " + known);
  }
}
