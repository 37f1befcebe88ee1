// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import dev.sandgate.cli.output.Printable;
import dev.sandgate.client.ExecHandle;
import io.smallrye.mutiny.Uni;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/** Passes this process's stdin to a command, a bounded number of pieces ahead of what the node took. */
final class StdinPump implements Runnable {

  private static final int PIECE_BYTES = 64 * 1024;
  private static final int AHEAD = 16;

  private final ExecHandle exec;
  private final Semaphore room = new Semaphore(AHEAD);
  private volatile boolean closed;

  StdinPump(ExecHandle exec) {
    this.exec = exec;
  }

  @Override
  public void run() {
    try (FileInputStream stdin = new FileInputStream(FileDescriptor.in)) {
      byte[] piece = new byte[PIECE_BYTES];
      for (int count = stdin.read(piece); count >= 0 && !closed; count = stdin.read(piece)) {
        room.acquire();
        send(exec.write(ByteBuffer.wrap(Arrays.copyOf(piece, count))));
      }
      send(exec.closeStdin());
    } catch (IOException unreadable) {
      System.err.println("sandgate: stdin cannot be read: " + unreadable.getMessage());
      send(exec.closeStdin());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void send(Uni<Void> write) {
    write.subscribe().with(taken -> room.release(), this::failed);
  }

  private void failed(Throwable failure) {
    closed = true;
    room.release();
    if (!ExecStreams.closed(failure)) {
      System.err.println("sandgate: stdin: " + Printable.of(String.valueOf(failure.getMessage())));
    }
  }
}
