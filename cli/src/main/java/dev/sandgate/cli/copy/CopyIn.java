// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.FileWrite;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.FileType;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Copies local files into a sandbox. Symbolic links are made anew inside; devices, pipes and sockets are refused. */
final class CopyIn {

  private static final int PERMISSION_BITS = 07777;

  private final SandboxHandle sandbox;
  private final dev.sandgate.client.Files files;
  private final Tally tally;

  CopyIn(SandboxHandle sandbox, dev.sandgate.client.Files files, Tally tally) {
    this.sandbox = sandbox;
    this.files = files;
    this.tally = tally;
  }

  void copy(Path source, String target) throws IOException {
    if (!Files.exists(source, LinkOption.NOFOLLOW_LINKS)) {
      throw CommandFailure.failed("SRC: " + source + " does not exist");
    }
    Path name = source.toAbsolutePath().normalize().getFileName();
    String top = isDirectory(target) && name != null ? join(target, name.toString()) : target;
    Files.walkFileTree(source, new Visitor(source, top));
  }

  private boolean isDirectory(String path) {
    try {
      return path.endsWith("/")
          || files.stat(path).await().indefinitely().getType() == FileType.FILE_TYPE_DIRECTORY;
    } catch (SandgateClientException missing) {
      if (missing.code().equals("NOT_FOUND")) {
        return false;
      }
      throw missing;
    }
  }

  private static String join(String directory, String name) {
    return directory.endsWith("/") ? directory + name : directory + "/" + name;
  }

  /** Copies each entry to its place below the target. */
  private final class Visitor extends SimpleFileVisitor<Path> {

    private final Path source;
    private final String target;

    Visitor(Path source, String target) {
      this.source = source;
      this.target = target;
    }

    private String inside(Path entry) {
      String relative = source.relativize(entry).toString();
      return relative.isEmpty() ? target : join(target, relative);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
        throws IOException {
      files.makeDirectory(inside(directory), permissions(directory)).await().indefinitely();
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (attributes.isSymbolicLink()) {
        link(Files.readSymbolicLink(file).toString(), inside(file));
      } else if (attributes.isRegularFile()) {
        write(file, inside(file));
      } else {
        throw CommandFailure.failed(file + " is no file, directory or symbolic link");
      }
      tally.addFile();
      return FileVisitResult.CONTINUE;
    }
  }

  private void write(Path file, String path) throws IOException {
    Multi<ByteBuffer> content =
        FileChunks.of(file).onItem().invoke(part -> tally.addBytes(part.remaining()));
    files
        .write(path, content, FileWrite.REPLACE.withPermissions(permissions(file)))
        .await()
        .indefinitely();
  }

  private void link(String points, String path) {
    ExecResult made =
        sandbox
            .execs()
            .run(Execs.program("ln", "-s", "-n", "-f", "--", points, path).build())
            .await()
            .indefinitely();
    if (!made.ok()) {
      throw CommandFailure.failed(
          "the link " + path + " cannot be made: " + made.stderrText().strip());
    }
  }

  private static int permissions(Path entry) throws IOException {
    Object mode = Files.getAttribute(entry, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return ((Integer) mode) & PERMISSION_BITS;
  }
}
