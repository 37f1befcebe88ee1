// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A local file as a stream, read as it is asked for. */
public final class FileChunks {

  private static final int CHUNK_BYTES = 64 * 1024;

  private FileChunks() {}

  /** The file's bytes. */
  public static Multi<ByteBuffer> of(Path file) {
    return Multi.createFrom()
        .resource(() -> open(file), FileChunks::chunks)
        .withFinalizer(FileChunks::close)
        .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
  }

  private static FileChannel open(Path file) {
    try {
      return FileChannel.open(file, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Multi<ByteBuffer> chunks(FileChannel channel) {
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
                emitter.fail(e);
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
