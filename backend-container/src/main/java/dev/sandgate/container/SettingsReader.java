// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Takes settings one by one; every complaint names the key and what would be right. */
final class SettingsReader {

  private static final String PREFIX = "backend.container.";

  private final Map<String, String> settings;
  private final Set<String> known = new TreeSet<>();

  SettingsReader(Map<String, String> settings) {
    this.settings = settings;
  }

  String text(String key, String usual) {
    known.add(key);
    String value = settings.getOrDefault(key, usual).strip();
    if (value.isEmpty()) {
      throw wrong(key, "must not be empty");
    }
    return value;
  }

  Path path(String key, Path usual) {
    Path path = Path.of(text(key, usual.toString()));
    if (!path.isAbsolute()) {
      throw wrong(key, "must be an absolute path, not " + path);
    }
    return path;
  }

  long number(String key, long least, long most, long usual) {
    String value = text(key, Long.toString(usual));
    try {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
      throw wrong(key, "must be " + least + " to " + most + ", not " + value);
    } catch (NumberFormatException e) {
      throw wrong(key, "must be a whole number, not " + value);
    }
  }

  <T> T oneOf(String key, Map<String, T> choices, String usual) {
    String value = text(key, usual);
    T choice = choices.get(value);
    if (choice == null) {
      throw wrong(key, "must be one of " + new TreeSet<>(choices.keySet()) + ", not " + value);
    }
    return choice;
  }

  void refuseUnknown() {
    for (String key : settings.keySet()) {
      if (!known.contains(key)) {
        throw wrong(key, "is unknown; known are " + known);
      }
    }
  }

  private static SandgateException wrong(String key, String message) {
    return new SandgateException(ErrorCode.INVALID_CONFIG, PREFIX + key + ": " + message);
  }
}
