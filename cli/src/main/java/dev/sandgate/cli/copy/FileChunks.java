// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.Reasons;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A local file as a stream, read as it is asked for. */
public final class FileChunks {

  private static final int CHUNK_BYTES = 64 * 1024;

  private FileChunks() {}

  /** Refuses what surely cannot be read, before anything is asked of anybody. */
  public static void check(Path file) {
    if (Files.isDirectory(file)) {
      throw CommandFailure.failed("cannot read " + file + ": it is a directory");
    }
    if (!Files.isReadable(file)) {
      String why = Files.exists(file) ? "permission denied" : "no such file or directory";
      throw CommandFailure.failed("cannot read " + file + ": " + why);
    }
  }

  /** The file's bytes; fails with CommandFailure when they cannot be read. */
  public static Multi<ByteBuffer> of(Path file) {
    return Multi.createFrom()
        .deferred(() -> opened(file))
        .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
  }

  // A resource that cannot be had would be told as a wrong argument.
  private static Multi<ByteBuffer> opened(Path file) {
    try {
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      return Multi.createFrom()
          .resource(() -> channel, open -> chunks(file, open))
          .withFinalizer(FileChunks::close);
    } catch (IOException e) {
      return Multi.createFrom().failure(unreadable(file, e));
    }
  }

  private static CommandFailure unreadable(Path file, IOException e) {
    return CommandFailure.failed("cannot read " + file + ": " + Reasons.why(e));
  }

  private static Multi<ByteBuffer> chunks(Path file, FileChannel channel) {
    return Multi.createFrom()
        .generator(
            () -> channel,
            (open, emitter) -> {
              try {
                ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
                if (open.read(buffer) < 0) {
                  emitter.complete();
                } else {
                  emitter.emit(buffer.flip());
                }
              } catch (IOException e) {
                emitter.fail(unreadable(file, e));
              }
              return open;
            });
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
