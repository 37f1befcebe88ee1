// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The programs a measurement needs: peers from Debian, and our own in C, compiled when first used. */
public final class Tools {

  private static final List<String> COMPILE =
      List.of("cc", "-D_GNU_SOURCE", "-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror");

  private final Path directory;

  /** Keeps compiled programs, configurations and logs in a directory. */
  public Tools(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory.toAbsolutePath());
  }

  /** For whatever else a measurement writes. */
  public Path directory() {
    return directory;
  }

  /** A log for the errors of a program. */
  public Path log(String program) {
    return directory.resolve(program + ".log");
  }

  /** A program's path, after trying to install its Debian package. */
  public Optional<Path> find(String program, String debianPackage)
      throws IOException, InterruptedException {
    if (installed(program).isEmpty() && installed("apt-get").isPresent()) {
      run(List.of("apt-get", "install", "-y", "-q", "--no-install-recommends", debianPackage));
    }
    return installed(program);
  }

  private static Optional<Path> installed(String program) {
    return Stream.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
        .map(place -> Path.of(place, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The HTTP/2 load client and echo backend. */
  public Path h2peer() throws IOException, InterruptedException {
    return compile("h2peer", List.of("main.c", "h2.c", "serve.c", "load.c", "mixed.c"));
  }

  /** The timer of commands. */
  public Path timecmd() throws IOException, InterruptedException {
    return compile("timecmd", List.of("timecmd.c"));
  }

  /** The task that is due at fixed times; it needs no libraries where it runs. */
  public Path wakeup() throws IOException, InterruptedException {
    return compile("wakeup", List.of("wakeup.c"), "-static", "-pthread");
  }

  private Path compile(String program, List<String> files, String... options)
      throws IOException, InterruptedException {
    Path binary = directory.resolve(program);
    List<String> command = new ArrayList<>(COMPILE);
    command.addAll(List.of(options));
    command.addAll(List.of("-o", binary.toString()));
    files.forEach(file -> command.add(sources().resolve(file).toString()));
    if (run(command) != 0) {
      throw new IOException("cannot compile " + program + ", see " + log("tools"));
    }
    return binary;
  }

  private static Path sources() {
    return Path.of(System.getProperty("sandgate.root", "."), "load-tests", "native");
  }

  /** Runs a command to its end, its output to a log; gives its status. */
  public int run(List<String> command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log("tools").toFile()))
        .start()
        .waitFor();
  }
}
