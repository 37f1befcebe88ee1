// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.cli.connection.Reasons;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * A local tree as a tar stream that a thread of its own makes while it is read. Modes, times and symbolic links are kept,
 * set-id bits dropped; devices, pipes and sockets are refused.
 */
final class TreeArchive implements AutoCloseable {

  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int PERMISSION_BITS = 01777;

  private final Path source;
  private final String top;
  private final Tally tally;
  private final PipedInputStream input = new PipedInputStream(4 * CHUNK_BYTES);
  private volatile @Nullable Exception failure;

  private TreeArchive(Path source, String top, Tally tally) {
    this.source = source;
    this.top = top;
    this.tally = tally;
  }

  /**
   * The archive.
   *
   * @param source a directory, or a single entry
   * @param top its name in the archive: empty for a directory, whose entries are named from there
   */
  static Multi<ByteBuffer> of(Path source, String top, Tally tally) {
    return Multi.createFrom()
        .resource(() -> new TreeArchive(source, top, tally).begin(), TreeArchive::chunks)
        .withFinalizer(TreeArchive::close)
        .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
  }

  private TreeArchive begin() {
    try {
      PipedOutputStream output = new PipedOutputStream(input);
      Thread.ofVirtual().start(() -> write(output));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Multi<ByteBuffer> chunks() {
    return Multi.createFrom()
        .generator(
            () -> this,
            (archive, emitter) -> {
              try {
                byte[] chunk = input.readNBytes(CHUNK_BYTES);
                Exception broken = failure;
                if (broken != null) {
                  emitter.fail(broken);
                } else if (chunk.length == 0) {
                  emitter.complete();
                } else {
                  emitter.emit(ByteBuffer.wrap(chunk));
                }
              } catch (IOException e) {
                emitter.fail(e);
              }
              return archive;
            });
  }

  /** The failure is known before the end is seen. */
  private void write(PipedOutputStream output) {
    try (output) {
      try {
        writeTree(new TarArchiveOutputStream(output, StandardCharsets.UTF_8.name()));
      } catch (IOException e) {
        failure = CommandFailure.failed("cannot read " + Reasons.of(e));
      } catch (RuntimeException e) {
        failure = e;
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  private void writeTree(TarArchiveOutputStream tar) throws IOException {
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    Files.walkFileTree(source, new Visitor(tar));
    tar.finish();
    tar.flush();
  }

  /** Unblocks the writing thread, too. */
  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds each entry to the archive. */
  private final class Visitor extends SimpleFileVisitor<Path> {

    private final TarArchiveOutputStream tar;

    Visitor(TarArchiveOutputStream tar) {
      this.tar = tar;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
        throws IOException {
      add(directory, TarConstants.LF_DIR, attributes);
      tar.closeArchiveEntry();
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (attributes.isSymbolicLink()) {
        add(file, TarConstants.LF_SYMLINK, attributes);
      } else if (attributes.isRegularFile()) {
        add(file, TarConstants.LF_NORMAL, attributes);
        tally.addBytes(Files.copy(file, tar));
      } else {
        throw CommandFailure.failed(file + " is no file, directory or symbolic link");
      }
      tar.closeArchiveEntry();
      tally.addFile();
      return FileVisitResult.CONTINUE;
    }

    private void add(Path path, byte type, BasicFileAttributes attributes) throws IOException {
      TarArchiveEntry entry = new TarArchiveEntry(name(path, type), type, true);
      Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      entry.setMode(((Integer) mode) & PERMISSION_BITS);
      entry.setModTime(attributes.lastModifiedTime());
      if (type == TarConstants.LF_SYMLINK) {
        entry.setLinkName(Files.readSymbolicLink(path).toString());
      } else if (type == TarConstants.LF_NORMAL) {
        entry.setSize(attributes.size());
      }
      tar.putArchiveEntry(entry);
    }

    private String name(Path path, byte type) {
      String relative = source.relativize(path).toString();
      String name = relative.isEmpty() ? top : relative;
      return type == TarConstants.LF_DIR ? (name.isEmpty() ? "./" : name + "/") : name;
    }
  }
}
