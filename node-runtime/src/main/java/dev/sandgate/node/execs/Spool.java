// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of one track: append only, deleted with its record. Blocks; one writer at a time, any readers. */
final class Spool {

  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

  private final Path file;
  private @Nullable FileChannel writing;
  private boolean deleted;

  Spool(Path file) {
    this.file = file;
  }

  synchronized void append(List<ByteBuffer> buffers) throws IOException {
    if (deleted || buffers.isEmpty()) {
      return;
    }
    FileChannel channel = writing;
    if (channel == null) {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
      writing = channel;
    }
    for (ByteBuffer buffer : buffers) {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  ByteString read(long position, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, position + buffer.position()) < 0) {
          throw new EOFException(file + " ends before " + (position + length));
        }
      }
    }
    return UnsafeByteOperations.unsafeWrap(buffer.flip());
  }

  /** Nothing more will be written. */
  synchronized void finish() {
    if (writing != null) {
      try {
        writing.close();
      } catch (IOException e) {
        LOG.warn("{} did not close well", file, e);
      }
      writing = null;
    }
  }

  synchronized void delete() {
    finish();
    deleted = true;
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("{} could not be deleted", file, e);
    }
  }
}
