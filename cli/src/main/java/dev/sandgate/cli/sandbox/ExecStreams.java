// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.terminal.Signals;
import dev.sandgate.cli.terminal.Terminal;
import dev.sandgate.client.ExecEvent;
import dev.sandgate.client.ExecHandle;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.SandgateClientException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.ArrayBlockingQueue;

/** Joins a command with this process: its output to ours byte by byte, our stdin and signals to it. */
final class ExecStreams {

  private static final int AHEAD = 16;
  private static final int SIGINT = 2;

  private final ExecHandle exec;
  private final boolean stdin;
  private final boolean tty;

  ExecStreams(ExecHandle exec, boolean stdin, boolean tty) {
    this.exec = exec;
    this.stdin = stdin;
    this.tty = tty;
  }

  /** Whether this process's terminal becomes the command's, Ctrl-C included. */
  static boolean takesTerminal(boolean stdin, boolean tty) {
    return tty && stdin && Terminal.present();
  }

  /** Runs until the command ends; gives its exit code. Fails when its output cannot be written. */
  int run() throws IOException {
    if (!takesTerminal(stdin, tty)) {
      Signals.on("INT", () -> tell(exec.signal(SIGINT)));
      return pump();
    }
    Signals.on("WINCH", () -> tell(exec.resize(Terminal.columns(), Terminal.rows())));
    try (Terminal _ = Terminal.raw()) {
      return pump();
    }
  }

  // Signals and resizes race with the command's end; one that comes too late has nobody to tell.
  private static void tell(io.smallrye.mutiny.Uni<Void> message) {
    message.onFailure().recoverWithNull().subscribe().with(told -> {});
  }

  // Our stdout and stderr stay open: what comes after is told there.
  private int pump() throws IOException {
    if (stdin) {
      Thread.ofPlatform().daemon().name("stdin").start(new StdinPump(exec));
    }
    FileChannel out = new FileOutputStream(FileDescriptor.out).getChannel();
    FileChannel err = new FileOutputStream(FileDescriptor.err).getChannel();
    for (ExecEvent event :
        exec.events().subscribe().asIterable(AHEAD, () -> new ArrayBlockingQueue<>(AHEAD))) {
      switch (event) {
        case ExecEvent.Started started -> {}
        case ExecEvent.Output output -> write(output.stderr() ? err : out, output.data());
        case ExecEvent.Truncated hole -> write(err, note(hole));
        case ExecEvent.Exited exited -> {
          return ended(err, exited.result());
        }
      }
    }
    throw new IllegalStateException("the command's events ended without its exit");
  }

  private static ByteBuffer note(ExecEvent.Truncated hole) {
    return line("%d bytes of output are not kept".formatted(hole.to() - hole.from()));
  }

  private static ByteBuffer line(String text) {
    return ByteBuffer.wrap(
        ("sandgate: " + text + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private static int ended(FileChannel err, ExecResult result) throws IOException {
    if (!result.killReason().isEmpty()) {
      write(err, line("killed: " + result.killReason()));
    }
    if (result.message().getOutOfMemory()) {
      write(err, line("the sandbox ran out of memory while it ran"));
    }
    return result.exitCode();
  }

  private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Whether a failure only says that the command no longer reads. */
  static boolean closed(Throwable failure) {
    return failure instanceof SandgateClientException refused
        && refused.code().equals("FAILED_PRECONDITION");
  }
}
