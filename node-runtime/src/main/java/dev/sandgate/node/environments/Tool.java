// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runs a program of the host; what it printed last is in the error when it fails. Blocks. */
public final class Tool {

  private static final int LAST_LINES = 12;
  private static final long LOOK_MILLIS = 100;
  private static final long END_SECONDS = 5;

  private final List<String> command;
  private final Duration timeout;
  private final Map<String, String> variables = new HashMap<>();
  private DiskReserve.Room room = _ -> {};
  private Optional<Duration> stall = Optional.empty();

  /** A program and how long it may run. */
  public Tool(Duration timeout, String... command) {
    this.command = List.of(command);
    this.timeout = timeout;
  }

  /** With one more environment variable. */
  Tool with(String name, String value) {
    variables.put(name, value);
    return this;
  }

  /** Ends it with RESOURCE_EXHAUSTED when what it writes reaches the reserve of the disk. */
  Tool within(DiskReserve.Room room) {
    this.room = room;
    return this;
  }

  /** Ends it with DEADLINE_EXCEEDED when it neither reads nor writes for so long. */
  Tool moving(Duration stall) {
    this.stall = Optional.of(stall);
    return this;
  }

  /** Runs it to its end; an interrupt kills it and its children. */
  public void run(Consumer<String> lines) {
    Process process = start();
    try {
      ArrayDeque<String> last = new ArrayDeque<>();
      CompletableFuture<Boolean> read = Blocking.start(() -> read(process, lines, last));
      if (!ends(process)) {
        throw failed("did not end within " + timeout.toSeconds() + " s", "");
      }
      Blocking.await(read, 10_000);
      if (process.exitValue() != 0) {
        throw failed("ended with " + process.exitValue(), String.join("\n", last));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    } finally {
      end(process);
    }
  }

  /** Nothing of it writes any more when this returns, so that what it wrote can be removed. */
  private static void end(Process process) {
    List<ProcessHandle> left =
        Stream.concat(process.descendants(), Stream.of(process.toHandle()))
            .filter(ProcessHandle::isAlive)
            .toList();
    left.forEach(ProcessHandle::destroyForcibly);
    left.forEach(one -> one.onExit().completeOnTimeout(one, END_SECONDS, TimeUnit.SECONDS).join());
  }

  private boolean ends(Process process) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    Optional<Stall> look = stall.map(Stall::new);
    while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      if (System.nanoTime() > end) {
        return false;
      }
      room.require(0);
      look.ifPresent(one -> one.look(process));
    }
    return true;
  }

  private Process start() {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("LC_ALL", "C");
      builder.environment().putAll(variables);
      Process process = builder.start();
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "",
          "cannot run %s: %s; install it on the node".formatted(command.getFirst(), e.getMessage()),
          e);
    }
  }

  private static boolean read(Process process, Consumer<String> lines, ArrayDeque<String> last) {
    try (BufferedReader reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (last.size() == LAST_LINES) {
          last.removeFirst();
        }
        last.add(line);
        lines.accept(line);
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SandgateException failed(String how, String output) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION,
        "%s %s\n%s".formatted(command.getFirst(), how, output).strip());
  }
}
