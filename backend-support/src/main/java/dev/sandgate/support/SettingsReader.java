// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Takes settings one by one; every complaint names the key and what would be right. */
public final class SettingsReader {

  private final String prefix;
  private final Map<String, String> settings;
  private final Set<String> known = new TreeSet<>();

  /**
   * All settings are still to be read.
   *
   * @param backend its name, for complaints
   * @param settings keys without the backend's prefix
   */
  public SettingsReader(String backend, Map<String, String> settings) {
    this.prefix = "backend." + backend + ".";
    this.settings = settings;
  }

  /** A text that is not empty. */
  public String text(String key, String usual) {
    known.add(key);
    String value = settings.getOrDefault(key, usual).strip();
    if (value.isEmpty()) {
      throw wrong(key, "must not be empty");
    }
    return value;
  }

  /** An absolute path. */
  public Path path(String key, Path usual) {
    Path path = Path.of(text(key, usual.toString()));
    if (!path.isAbsolute()) {
      throw wrong(key, "must be an absolute path, not " + path);
    }
    return path;
  }

  /** A whole number within bounds. */
  public long number(String key, long least, long most, long usual) {
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

  /** One of some words. */
  public <T> T oneOf(String key, Map<String, T> choices, String usual) {
    String value = text(key, usual);
    T choice = choices.get(value);
    if (choice == null) {
      throw wrong(key, "must be one of " + new TreeSet<>(choices.keySet()) + ", not " + value);
    }
    return choice;
  }

  /** Complains about a setting that nobody read. */
  public void refuseUnknown() {
    for (String key : settings.keySet()) {
      if (!known.contains(key)) {
        throw wrong(key, "is unknown; known are " + known);
      }
    }
  }

  private SandgateException wrong(String key, String message) {
    return new SandgateException(ErrorCode.INVALID_CONFIG, prefix + key + ": " + message);
  }
}
