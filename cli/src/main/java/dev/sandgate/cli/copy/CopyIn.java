// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.client.FileWrite;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FileType;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Copies local files into a sandbox: a file as it is, a directory or a symbolic link as an archive that is made and
 * extracted while it is sent. Devices, pipes and sockets are refused.
 */
final class CopyIn {

  private static final int PERMISSION_BITS = 01777;
  private static final int LINKS_MAX = 40;
  private static final Duration LIMIT = Duration.ofSeconds(8);

  private final dev.sandgate.client.Files files;
  private final Tally tally;

  CopyIn(dev.sandgate.client.Files files, Tally tally) {
    this.files = files;
    this.tally = tally;
  }

  void copy(Path source, String target) throws IOException {
    if (!Files.exists(source, LinkOption.NOFOLLOW_LINKS)) {
      throw CommandFailure.failed("SRC: " + source + " does not exist");
    }
    Path name = source.toAbsolutePath().normalize().getFileName();
    String top = isDirectory(target) && name != null ? join(target, name.toString()) : target;
    if (Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)) {
      Utf8Names.checkTree(source);
      directory(source, top);
    } else if (Files.isRegularFile(source, LinkOption.NOFOLLOW_LINKS)) {
      write(source, top);
    } else if (Files.isSymbolicLink(source)) {
      Utf8Names.checkTree(source);
      int slash = top.lastIndexOf('/');
      upload(
          top.substring(0, Math.max(1, slash)),
          TreeArchive.of(source, top.substring(slash + 1), tally));
    } else {
      throw CommandFailure.failed(
          "cannot read " + source + ": it is no file, directory or symbolic link");
    }
  }

  private void directory(Path source, String top) throws IOException {
    int permissions = permissions(source);
    if (stat(top).isPresent()) {
      upload(top, TreeArchive.of(source, "", tally));
      return;
    }
    whole(
        top,
        staged -> {
          Waiting.on(files.makeDirectory(staged, permissions));
          upload(staged, TreeArchive.of(source, "", tally));
        });
  }

  /** Fills something under a name of its own, which becomes the real one when it is whole. */
  private void whole(String path, Consumer<String> filling) {
    String staged =
        "%s/.sandgate-cp-%08x"
            .formatted(
                path.substring(0, path.lastIndexOf('/')), ThreadLocalRandom.current().nextInt());
    try {
      filling.accept(staged);
      Waiting.on(files.move(staged, path));
    } catch (RuntimeException failure) {
      discard(staged, failure);
      throw failure;
    }
  }

  private void discard(String staged, RuntimeException failure) {
    boolean interrupted = Thread.interrupted();
    try {
      files.remove(staged, true).await().atMost(LIMIT);
    } catch (RuntimeException left) {
      failure.addSuppressed(left);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void upload(String directory, Multi<ByteBuffer> archive) {
    Waiting.on(files.trees().upload(directory, archive));
  }

  private boolean isDirectory(String path) {
    return path.endsWith("/")
        || stat(path).filter(i -> i.getType() == FileType.FILE_TYPE_DIRECTORY).isPresent();
  }

  private Optional<FileInfo> stat(String path) {
    try {
      return Optional.of(files.stat(path).await().indefinitely());
    } catch (SandgateClientException missing) {
      if (missing.code().equals("NOT_FOUND")) {
        return Optional.empty();
      }
      throw missing;
    }
  }

  /** Where a link leads in the end, as far as it leads somewhere. */
  private String followed(String path) {
    String end = path;
    for (int links = 0; links < LINKS_MAX; links++) {
      Optional<FileInfo> link =
          stat(end).filter(info -> info.getType() == FileType.FILE_TYPE_SYMLINK);
      if (link.isEmpty()) {
        return end;
      }
      String next = link.get().getLinkTarget();
      end = next.startsWith("/") ? next : end.substring(0, end.lastIndexOf('/') + 1) + next;
    }
    throw CommandFailure.failed(path + " is a link that leads nowhere");
  }

  private static String join(String directory, String name) {
    return directory.endsWith("/") ? directory + name : directory + "/" + name;
  }

  private void write(Path file, String path) throws IOException {
    FileChunks.check(file);
    String target = followed(path);
    int local = permissions(file);
    int permissions = stat(target).map(there -> there.getMode() & PERMISSION_BITS).orElse(local);
    whole(
        target,
        staged ->
            Waiting.on(
                files.write(
                    staged,
                    FileChunks.of(file).onItem().invoke(part -> tally.addBytes(part.remaining())),
                    FileWrite.REPLACE.withPermissions(permissions))));
    tally.addFile();
  }

  private static int permissions(Path entry) throws IOException {
    Object mode = Files.getAttribute(entry, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return ((Integer) mode) & PERMISSION_BITS;
  }
}
