// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import dev.sandgate.spi.Probe.Finding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A program of this host that a backend runs: found on the search path and asked for what it can do. Blocks;
 * for probes only.
 *
 * @param name the program's file name
 * @param directories where it may be, in order
 */
public record HostTool(String name, List<Path> directories) {

  private static final int PATIENCE_SECONDS = 10;

  /** Freezes the directories. */
  public HostTool {
    directories = List.copyOf(directories);
  }

  /**
   * A program on this process's {@code PATH}.
   *
   * @param name its file name
   * @return the tool, there or not
   */
  public static HostTool onPath(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/bin:/bin");
    return new HostTool(name, List.of(path.split(":", -1)).stream().map(Path::of).toList());
  }

  /**
   * Where it is.
   *
   * @return the first executable file of that name
   */
  public Optional<Path> path() {
    return directories.stream()
        .map(directory -> directory.resolve(name))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  /**
   * Runs it and looks for a line of its output.
   *
   * @param wanted what the line contains
   * @param arguments what it is asked
   * @return the line; empty when it is not there, does not end within 10 s, or prints no such line
   */
  public Optional<String> line(String wanted, String... arguments) {
    return path()
        .flatMap(
            file -> output(file, arguments).lines().filter(l -> l.contains(wanted)).findFirst())
        .map(String::strip);
  }

  private static String output(Path file, String... arguments) {
    try {
      Path output = Files.createTempFile("sandgate-probe", ".txt");
      try {
        return output(new ProcessBuilder(words(file, arguments)), output);
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      return "cannot run " + file + ": " + e.getMessage();
    }
  }

  private static List<String> words(Path file, String... arguments) {
    List<String> words = new java.util.ArrayList<>(List.of(arguments));
    words.addFirst(file.toString());
    return words;
  }

  private static String output(ProcessBuilder builder, Path output) throws IOException {
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return ended ? Files.readString(output, StandardCharsets.ISO_8859_1) : "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * What a probe says about it.
   *
   * @param required whether the backend cannot run without it
   * @param wanted what a line of its output must contain
   * @param fix what to do when it is missing
   * @param arguments what it is asked
   * @return available with the line, or unavailable with the fix
   */
  public Finding finding(boolean required, String wanted, String fix, String... arguments) {
    return line(wanted, arguments)
        .map(line -> new Finding(name, required, true, line))
        .orElseGet(
            () ->
                new Finding(
                    name,
                    required,
                    false,
                    path().map(file -> file + " does not offer " + wanted).orElse("not in PATH")
                        + ": "
                        + fix));
  }
}
