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
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of one track, which outlives the process and is deleted with its record. Blocks; one writer at a time, any
 * readers.
 */
final class Spool {

  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

  private final Path file;
  private final DiskBudget budget;
  private @Nullable FileChannel writing;
  private Layout layout = Layout.open();
  private long charged;
  private boolean onDisk;
  private boolean deleted;

  Spool(Path file, DiskBudget budget) {
    this.file = file;
    this.budget = budget;
  }

  /** What a file of an earlier run has. */
  synchronized Optional<Layout> restore() {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      onDisk = true;
      ByteBuffer header = ByteBuffer.allocate(Layout.HEADER);
      if (channel.read(header, 0) < Layout.HEADER) {
        return Optional.empty();
      }
      layout = Layout.read(header.flip(), channel.size());
      charge(channel.size());
      return Optional.of(layout);
    } catch (java.nio.file.NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalStateException e) {
      LOG.warn("{} cannot be kept", file, e);
      delete();
      return Optional.empty();
    }
  }

  /** Writes a part of the head to its place. */
  synchronized void append(long offset, List<ByteBuffer> buffers) throws IOException {
    long bytes = buffers.stream().mapToLong(ByteBuffer::remaining).sum();
    if (deleted || bytes == 0) {
      return;
    }
    FileChannel channel = channel();
    long position = Layout.HEADER + offset;
    charge(Math.max(0, position + bytes - charged));
    for (ByteBuffer buffer : buffers) {
      position += write(channel, position, buffer);
    }
  }

  /** Ends the head where it is and begins, or begins anew, the ring. */
  synchronized void beginTail(long headEnd, long tailBase, long ringBytes) throws IOException {
    if (deleted) {
      return;
    }
    FileChannel channel = channel();
    charge(Math.max(0, Layout.HEADER + headEnd + ringBytes - charged));
    layout = new Layout(headEnd, tailBase, ringBytes, tailBase, tailBase);
    write(channel, 0, layout.bytes());
  }

  /** Writes the newest bytes into the ring, at most as many as it has. */
  synchronized void writeTail(long offset, List<ByteBuffer> buffers) throws IOException {
    long to = offset + buffers.stream().mapToLong(ByteBuffer::remaining).sum();
    if (deleted || to == offset) {
      return;
    }
    FileChannel channel = channel();
    layout = layout.writing(to);
    write(channel, 0, layout.bytes());
    long at = offset;
    for (ByteBuffer buffer : buffers) {
      while (buffer.hasRemaining()) {
        int part = (int) Math.min(buffer.remaining(), layout.together(at));
        write(channel, layout.ringPosition(at), buffer.slice(buffer.position(), part));
        buffer.position(buffer.position() + part);
        at += part;
      }
    }
    layout = layout.wrote(to);
    write(channel, 0, layout.bytes());
  }

  ByteString readHead(long offset, int length) throws IOException {
    return read(Layout.HEADER + offset, length);
  }

  /** Reads from the ring; may give fewer bytes than asked for. */
  ByteString readTail(long offset, int length) throws IOException {
    Layout now;
    synchronized (this) {
      now = layout;
    }
    return read(now.ringPosition(offset), (int) Math.min(length, now.together(offset)));
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

  synchronized boolean exists() {
    return charged > 0;
  }

  synchronized void delete() {
    deleted = true;
    clear();
  }

  /** Deletes what an earlier process left, whether it was looked at or not, and begins anew. */
  synchronized void discard() {
    onDisk = true;
    clear();
  }

  /** Deletes what is there and begins anew. */
  synchronized void clear() {
    finish();
    layout = Layout.open();
    if (!onDisk) {
      return;
    }
    try {
      Files.deleteIfExists(file);
      onDisk = false;
      budget.give(charged);
      charged = 0;
    } catch (IOException e) {
      LOG.warn("{} could not be deleted", file, e);
    }
  }

  private ByteString read(long position, int length) throws IOException {
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

  private FileChannel channel() throws IOException {
    FileChannel channel = writing;
    if (channel == null) {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      writing = channel;
      onDisk = true;
      if (channel.size() < Layout.HEADER) {
        charge(Layout.HEADER);
        write(channel, 0, layout.bytes());
      }
    }
    return channel;
  }

  private void charge(long bytes) throws IOException {
    budget.take(bytes);
    charged += bytes;
  }

  private static int write(FileChannel channel, long position, ByteBuffer buffer)
      throws IOException {
    int written = 0;
    while (buffer.hasRemaining()) {
      written += channel.write(buffer, position + written);
    }
    return written;
  }
}
