// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** A range of a regular file as it is when it is opened, chunk by chunk. */
final class FileReader implements BlockingStream.Source<ByteBuffer>, AutoCloseable {

  private static final int CHUNK = 65_536;

  private final FileChannel channel;
  private long left;

  private FileReader(FileChannel channel, long left) {
    this.channel = channel;
    this.left = left;
  }

  static FileReader open(Path file, long offset, long length) throws IOException {
    requireRegular(file);
    FileChannel channel = FileChannel.open(file);
    channel.position(offset);
    long rest = Math.max(0, channel.size() - offset);
    return new FileReader(channel, length < 0 ? rest : Math.min(rest, length));
  }

  /** Opening a pipe would wait for its other end. */
  static void requireRegular(Path file) throws NoSuchFileException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    if (!Files.isRegularFile(file)) {
      throw new SandgateException(ErrorCode.FILE_FAILED, file + ": not a regular file");
    }
  }

  @Override
  public Optional<ByteBuffer> next() throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, left));
    int size = chunk.hasRemaining() ? channel.read(chunk) : -1;
    left -= Math.max(size, 0);
    return size < 0 ? Optional.empty() : Optional.of(chunk.flip());
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
