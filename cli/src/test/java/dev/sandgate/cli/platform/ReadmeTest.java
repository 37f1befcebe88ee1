// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in the README compiles and does what it says. */
@Tag("root")
final class ReadmeTest {

  private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void shouldRunTheExample() throws IOException, ReflectiveOperationException {
    String readme = Files.readString(Path.of(System.getProperty("sandgate.root"), "README.md"));
    Matcher example = EXAMPLE.matcher(readme);
    assertTrue(example.find());
    try (Platform platform = new Platform()) {
      String source =
          example
              .group(1)
              .replace("http://127.0.0.1:7070", platform.url())
              .replace("System.getenv(\"SANDGATE_API_KEY\")", "\"" + platform.key() + "\"");

      assertEquals("hello world\n", run(source));
      assertTrue(platform.sandboxes().isEmpty());
    }
  }

  private String run(String source) throws IOException, ReflectiveOperationException {
    Path file = Files.writeString(directory.resolve("Hello.java"), source);
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", path, "-d", directory.toString(), file.toString()));
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader
          .loadClass("Hello")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
