// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import dev.sandgate.cli.connection.CommandFailure;
import dev.sandgate.client.FileWrite;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.FileType;
import io.smallrye.mutiny.Multi;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Copies local files into a sandbox: a file as it is, a directory or a symbolic link as an archive that is made and
 * extracted while it is sent. Devices, pipes and sockets are refused.
 */
final class CopyIn {

  private static final int PERMISSION_BITS = 01777;

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
      files.makeDirectory(top, permissions(source)).await().indefinitely();
      upload(top, TreeArchive.of(source, "", tally));
    } else if (Files.isRegularFile(source, LinkOption.NOFOLLOW_LINKS)) {
      write(source, top);
    } else {
      int slash = top.lastIndexOf('/');
      upload(
          top.substring(0, Math.max(1, slash)),
          TreeArchive.of(source, top.substring(slash + 1), tally));
    }
  }

  private void upload(String directory, Multi<ByteBuffer> archive) {
    files.trees().upload(directory, archive).await().indefinitely();
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

  private void write(Path file, String path) throws IOException {
    Multi<ByteBuffer> content =
        FileChunks.of(file).onItem().invoke(part -> tally.addBytes(part.remaining()));
    files
        .write(path, content, FileWrite.REPLACE.withPermissions(permissions(file)))
        .await()
        .indefinitely();
    tally.addFile();
  }

  private static int permissions(Path entry) throws IOException {
    Object mode = Files.getAttribute(entry, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return ((Integer) mode) & PERMISSION_BITS;
  }
}
