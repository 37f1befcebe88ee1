// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * A pattern of absolute paths: {@code *} stands for anything within a name, {@code **} for any number of names. Matching
 * takes no more steps than the lengths of pattern and path multiplied, whatever either is.
 */
final class PathPattern {

  private static final String ANY_NAMES = "**";
  private static final int MOST_BYTES = 4096;

  private final String text;
  private final List<String> names;

  private PathPattern(String text) {
    this.text = text;
    this.names = List.of(text.substring(1).split("/", -1));
  }

  /** One of the platform's own. */
  static PathPattern of(String text) {
    return new PathPattern(text);
  }

  /** One of a caller's, checked. */
  static PathPattern of(String field, String text) {
    Fields.text(field, text, MOST_BYTES);
    if (!text.startsWith("/") || text.length() < 2 || text.endsWith("/") || text.contains("//")) {
      throw invalid(field, "give an absolute path without a slash at its end, as /data/*.key");
    }
    return new PathPattern(text);
  }

  boolean matches(List<String> path) {
    return wild(names, path, ANY_NAMES::equals, PathPattern::nameMatches);
  }

  private static boolean nameMatches(String pattern, String name) {
    if (pattern.indexOf('*') < 0) {
      return pattern.equals(name);
    }
    return wild(letters(pattern), letters(name), "*"::equals, String::equals);
  }

  private static List<String> letters(String text) {
    List<String> letters = new ArrayList<>(text.length());
    text.chars().forEach(letter -> letters.add(String.valueOf((char) letter)));
    return letters;
  }

  /** On a mismatch the latest wild element takes one item more; an earlier one never has to. */
  private static boolean wild(
      List<String> pattern,
      List<String> items,
      java.util.function.Predicate<String> isWild,
      BiPredicate<String, String> same) {
    int p = 0;
    int i = 0;
    int wild = -1;
    int taken = 0;
    while (i < items.size()) {
      if (p < pattern.size() && isWild.test(pattern.get(p))) {
        wild = p++;
        taken = i;
      } else if (p < pattern.size() && same.test(pattern.get(p), items.get(i))) {
        p++;
        i++;
      } else if (wild >= 0) {
        p = wild + 1;
        i = ++taken;
      } else {
        return false;
      }
    }
    while (p < pattern.size() && isWild.test(pattern.get(p))) {
      p++;
    }
    return p == pattern.size();
  }

  @Override
  public String toString() {
    return text;
  }
}
