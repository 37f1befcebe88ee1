// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import java.nio.file.Path;
import java.util.List;

/**
 * A line of {@code /proc/self/mountinfo}.
 *
 * @param place where it is mounted
 * @param type of its file system
 * @param options of its file system
 */
record MountLine(Path place, String type, List<String> options) {

  private static final int PLACE = 4;

  MountLine {
    options = List.copyOf(options);
  }

  static MountLine of(String line) {
    String[] halves = line.split(" - ", 2);
    String place = halves[0].split(" ", -1)[PLACE].replace("\\040", " ");
    String[] source = halves[1].split(" ", -1);
    return new MountLine(Path.of(place), source[0], List.of(source[source.length - 1].split(",")));
  }

  boolean hasProjectQuota() {
    return options.contains("prjquota") || options.contains("pquota");
  }
}
