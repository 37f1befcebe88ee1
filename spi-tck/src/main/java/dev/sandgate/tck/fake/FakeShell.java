// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.ExecEvent.Stream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a shell that scripts of tests need: commands separated by {@code ;}, words separated by
 * blanks, {@code $NAME}, {@code read NAME}, {@code exit N}, {@code exec <&-} and {@code >&2}.
 */
final class FakeShell {

  private static final int NOT_FOUND = 127;

  private final FakeExec exec;
  private final Map<String, String> variables;
  private final FakeTree files;

  FakeShell(FakeExec exec, Map<String, String> env, FakeTree files) {
    this.exec = exec;
    this.variables = new HashMap<>(env);
    this.files = files;
  }

  int run(String script) throws InterruptedException {
    int code = 0;
    for (String line : script.split(";", -1)) {
      List<String> words = words(line);
      if (!words.isEmpty()) {
        code = simple(words);
        if (words.getFirst().equals("exit")) {
          return code;
        }
      }
    }
    return code;
  }

  private List<String> words(String line) {
    List<String> words = new ArrayList<>();
    for (String word : line.strip().split("\\s+", -1)) {
      if (!word.isEmpty()) {
        words.add(word.startsWith("$") ? variables.getOrDefault(word.substring(1), "") : word);
      }
    }
    return words;
  }

  private int simple(List<String> words) throws InterruptedException {
    return switch (words.getFirst()) {
      case "read" -> read(words.getLast());
      case "exec" -> closeStdin();
      default -> program(words);
    };
  }

  private int closeStdin() {
    exec.closeStdin();
    return 0;
  }

  private int program(List<String> words) throws InterruptedException {
    if (words.getLast().equals(">&2")) {
      String text = String.join(" ", words.subList(1, words.size() - 1)) + "\n";
      exec.print(Stream.STDERR, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      return 0;
    }
    Optional<FakeCommand> command = FakeCommand.of(words, variables, files);
    return command.isPresent() ? command.get().run(exec) : NOT_FOUND;
  }

  private int read(String name) throws InterruptedException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] next = exec.read(1);
    while (next.length > 0 && next[0] != '\n') {
      line.write(next[0]);
      next = exec.read(1);
    }
    variables.put(name, line.toString(StandardCharsets.UTF_8));
    return next.length > 0 ? 0 : 1;
  }
}
