// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A gateway or a node in a process of its own, with the same data and port each time that it is started. It dies with the
 * thread that started it, at the latest. Thread-safe; once closed it is not started again.
 */
final class ServerProcess implements AutoCloseable {

  private static final String MAIN = "dev.sandgate.cli.SandgateCommand";
  private static final List<String> JVM =
      List.of(
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private final Path data;
  private final int port;
  private final List<String> arguments;
  private @Nullable Child child;
  private boolean closed;

  /** Keeps its data, and a log beside it, in a directory; takes the words that follow {@code up}. */
  ServerProcess(Path data, int port, String... arguments) throws IOException {
    this.data = Files.createDirectories(data);
    this.port = port;
    this.arguments = List.of(arguments);
  }

  Path data() {
    return data;
  }

  /** Starts it and waits until it listens; with further options of its JVM. */
  synchronized void start(String... options) throws IOException {
    if (closed) {
      throw new IOException("the platform is being removed");
    }
    Child started = Child.start(data.resolveSibling(data.getFileName() + ".log"), command(options));
    child = started;
    Ports.awaitListening(port, started::alive);
  }

  private List<String> command(String... options) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(JVM);
    words.addAll(List.of(options));
    words.add("-Dsandgate.native=" + System.getProperty("sandgate.native"));
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.addAll(List.of(MAIN, "--data", data.toString(), "up"));
    words.addAll(arguments);
    return words;
  }

  /** Kills it as SIGKILL does. */
  synchronized void kill() throws IOException, InterruptedException {
    running().kill();
  }

  /** Waits until it has ended by itself; false when it lives on. */
  boolean ended(Duration atMost) throws InterruptedException {
    return running().ended(atMost);
  }

  /** Sends it a signal, for example STOP. */
  void signal(String name) throws IOException, InterruptedException {
    String pid = Long.toString(running().pid());
    int status = new ProcessBuilder("kill", "-" + name, pid).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException("kill -" + name + " " + pid + " ended with " + status);
    }
  }

  private synchronized Child running() {
    Child running = child;
    if (running == null) {
      throw new IllegalStateException("it was never started");
    }
    return running;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (child != null) {
      child.close();
    }
  }
}
