// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** File operations below a sandbox's home; a path that leads out of it is refused. */
final class HomeFiles implements Files {

  private final Path home;
  private final Runnable checkAlive;
  private final Set<Path> written = ConcurrentHashMap.newKeySet();

  HomeFiles(Path home, Runnable checkAlive) {
    this.home = home;
    this.checkAlive = checkAlive;
  }

  private <T> Uni<T> step(String path, Callable<T> steps) {
    return Work.of(
        () -> {
          checkAlive.run();
          try {
            return steps.call();
          } catch (IOException e) {
            throw typed(path, e);
          }
        },
        nobody -> {});
  }

  private Uni<Void> step(String path, Work.Steps steps) {
    Uni<Boolean> done =
        step(
            path,
            () -> {
              steps.run();
              return true;
            });
    return done.replaceWithVoid();
  }

  /** The file that a path names: its directory, links resolved, must be below home. */
  private Path inside(String path) throws IOException {
    Path named = Path.of(path);
    Path directory = named.getParent();
    if (!named.isAbsolute() || directory == null) {
      throw outside(path);
    }
    Path real = directory.toRealPath();
    boolean itself = named.normalize().equals(home);
    if (!itself && !real.startsWith(home.toRealPath())) {
      throw outside(path);
    }
    return real.resolve(named.getFileName());
  }

  private SandgateException outside(String path) {
    return new SandgateException(
        ErrorCode.PERMISSION_DENIED, path + " is not below " + home + ", the sandbox's home");
  }

  @Override
  public Multi<ByteBuffer> read(String user, String path, long offset, long length) {
    return step(path, () -> FileReader.open(inside(path), offset, length))
        .onItem()
        .transformToMulti(reader -> BlockingStream.of(reader, new CompletableFuture<>()));
  }

  @Override
  public Uni<Long> write(WriteTarget target, Multi<ByteBuffer> data) {
    return Work.of(() -> claimed(target), written::remove)
        .chain(
            file ->
                writeClaimed(target, data).onTermination().invoke(() -> written.remove(file)));
  }

  /** The file, which nobody else writes meanwhile. */
  private Path claimed(WriteTarget target) {
    checkAlive.run();
    try {
      makeParents(target);
      Path file = inside(target.path());
      if (!written.add(file)) {
        throw new SandgateException(ErrorCode.FILE_FAILED, file + ": somebody else is writing it");
      }
      return file;
    } catch (IOException e) {
      throw typed(target.path(), e);
    }
  }

  private void makeParents(WriteTarget target) throws IOException {
    Path parent = Path.of(target.path()).getParent();
    if (target.parents() && parent != null && parent.startsWith(home)) {
      java.nio.file.Files.createDirectories(parent);
    }
  }

  private Uni<Long> writeClaimed(WriteTarget target, Multi<ByteBuffer> data) {
    return step(target.path(), () -> FileWriter.open(inside(target.path()), target))
        .chain(
            channel -> {
              AtomicLong count = new AtomicLong();
              return data.onItem()
                  .transformToUniAndConcatenate(
                      chunk -> step(target.path(), () -> count.addAndGet(put(channel, chunk))))
                  .onTermination()
                  .call(() -> Work.run(channel::close))
                  .collect()
                  .last()
                  .map(last -> count.get());
            });
  }

  private static int put(FileChannel channel, ByteBuffer chunk) throws IOException {
    int size = chunk.remaining();
    while (chunk.hasRemaining()) {
      channel.write(chunk);
    }
    return size;
  }

  @Override
  public Uni<FileInfo> stat(String user, String path) {
    return step(path, () -> Entries.info(path, inside(path)));
  }

  @Override
  public Multi<FileInfo> list(String user, String path, int depth) {
    return step(path, () -> Entries.below(path, inside(path), depth))
        .onItem()
        .transformToMulti(entries -> BlockingStream.of(entries, new CompletableFuture<>()));
  }

  @Override
  public Uni<Void> makeDirectory(String user, String path, int mode, boolean parents) {
    return step(
        path,
        () -> {
          if (parents && Path.of(path).startsWith(home)) {
            java.nio.file.Files.createDirectories(Path.of(path));
          } else {
            java.nio.file.Files.createDirectory(inside(path));
          }
          java.nio.file.Files.setAttribute(inside(path), "unix:mode", mode, NOFOLLOW_LINKS);
        });
  }

  @Override
  public Uni<Void> move(String user, String from, String to) {
    return step(
        from,
        () -> {
          java.nio.file.Files.move(inside(from), inside(to), StandardCopyOption.ATOMIC_MOVE);
        });
  }

  @Override
  public Uni<Void> remove(String user, String path, boolean recursive) {
    return step(
        path,
        () -> {
          Path entry = inside(path);
          Entries.info(path, entry);
          if (recursive) {
            Trees.delete(entry);
          } else {
            java.nio.file.Files.delete(entry);
          }
        });
  }

  @Override
  public Uni<Void> setAttributes(String user, String path, Attributes attributes) {
    return step(
        path,
        () -> {
          Path entry = inside(path);
          Owners.change(entry, attributes.owner());
          if (attributes.mode() >= 0 && java.nio.file.Files.isSymbolicLink(entry)) {
            throw new SandgateException(ErrorCode.FILE_FAILED, path + ": a link has no mode");
          }
          if (attributes.mode() >= 0) {
            java.nio.file.Files.setAttribute(entry, "unix:mode", attributes.mode(), NOFOLLOW_LINKS);
          }
        });
  }

  @Override
  public Uni<Checksum> checksum(String user, String path) {
    return step(path, () -> checksum(FileReader.open(inside(path), 0, -1)));
  }

  private static Checksum checksum(FileReader reader) throws IOException {
    try (FileReader open = reader) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      long size = 0;
      for (Optional<ByteBuffer> next = open.next(); next.isPresent(); next = open.next()) {
        size += next.get().remaining();
        digest.update(next.get());
      }
      return new Checksum(size, HexFormat.of().formatHex(digest.digest()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The platform's error for what the JDK threw. */
  static SandgateException typed(String path, Exception failure) {
    if (failure instanceof SandgateException known) {
      return known;
    }
    ErrorCode code =
        switch (failure) {
          case NoSuchFileException e -> ErrorCode.NOT_FOUND;
          case AccessDeniedException e -> ErrorCode.PERMISSION_DENIED;
          case FileAlreadyExistsException e -> ErrorCode.ALREADY_EXISTS;
          case NotDirectoryException e -> ErrorCode.FILE_FAILED;
          default -> full(failure) ? ErrorCode.RESOURCE_EXHAUSTED : ErrorCode.FILE_FAILED;
        };
    return new SandgateException(code, "", path + ": " + failure, failure);
  }

  private static boolean full(Exception failure) {
    return String.valueOf(failure.getMessage()).contains("No space left");
  }
}
