// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Holds docs/SPECIFICATION.md to its word: the tests that it names exist. */
class SpecificationTest {

  private static final Path ROOT = Path.of(System.getProperty("sandgate.root"));
  private static final Pattern REFERENCE =
      Pattern.compile("`([A-Z]\\w*(?:Test|Cases)|test_\\w+\\.py)(?:#(\\w+))?`");

  @Test
  void shouldNameOnlyTestsThatExist() throws IOException {
    List<Path> sources = sources();
    List<String> missing = new ArrayList<>();
    int references = 0;
    Matcher matcher = REFERENCE.matcher(Files.readString(ROOT.resolve("docs/SPECIFICATION.md")));
    while (matcher.find()) {
      references++;
      if (!exists(sources, matcher.group(1), matcher.group(2))) {
        missing.add(matcher.group());
      }
    }
    assertTrue(references > 50, "the specification names tests");
    assertEquals(List.of(), missing);
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(f -> f.toString().endsWith(".java") || f.toString().endsWith(".py"))
          .toList();
    }
  }

  private static boolean exists(List<Path> sources, String holder, @Nullable String name)
      throws IOException {
    String file = holder.endsWith(".py") ? holder : holder + ".java";
    Pattern declared = Pattern.compile("(void|def) " + name + "\\(");
    for (Path path : sources.stream().filter(f -> f.endsWith(file)).toList()) {
      if (name == null || declared.matcher(Files.readString(path)).find()) {
        return true;
      }
    }
    return false;
  }
}
