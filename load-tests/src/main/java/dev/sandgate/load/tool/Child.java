// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process started for a measurement, killed when it is closed. */
public final class Child implements AutoCloseable {

  private static final long GRACE_SECONDS = 10;

  private final Process process;
  private final BufferedReader output;
  private final Path errors;

  private Child(Process process, Path errors) {
    this.process = process;
    this.output = process.inputReader();
    this.errors = errors;
  }

  /** Starts a command that dies with this thread at the latest; its errors are appended to a file. */
  public static Child start(Path errors, List<String> command) throws IOException {
    List<String> bound = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL"));
    bound.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(bound);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
    return new Child(builder.start(), errors);
  }

  /** Starts a command on one CPU alone. */
  public static Child pinned(int cpu, Path errors, List<String> command) throws IOException {
    List<String> pinned = new ArrayList<>(List.of("taskset", "-c", Integer.toString(cpu)));
    pinned.addAll(command);
    return start(errors, pinned);
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it runs. */
  public boolean alive() {
    return process.isAlive();
  }

  /** The next line it prints; an error when it ends instead. */
  public String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException("process " + process.pid() + " ended early, see " + errors);
    }
    return line;
  }

  /** Reads lines until one that begins so. */
  public String await(String prefix) throws IOException {
    String line = line();
    while (!line.startsWith(prefix)) {
      line = line();
    }
    return line;
  }

  /** Everything it prints until it ends with 0; anything else is an error. */
  public List<String> lines() throws IOException, InterruptedException {
    List<String> lines = output.lines().toList();
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException("a peer ended with status " + status + ", see " + errors);
    }
    return lines;
  }

  /** Kills it at once, as SIGKILL does, and waits until it is gone. */
  public void kill() throws IOException, InterruptedException {
    process.destroyForcibly();
    if (!ended(Duration.ofSeconds(GRACE_SECONDS))) {
      throw new IOException("process " + process.pid() + " survived SIGKILL");
    }
  }

  /** Waits until it has ended; false when it lives on. */
  public boolean ended(Duration atMost) throws InterruptedException {
    return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
