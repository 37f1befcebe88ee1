// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/**
 * File operations, done inside the sandbox as one of its users; no host path is ever involved.
 *
 * <p>Paths are absolute. {@code user} is a name or number known inside, or empty for the sandbox's user.
 * Errors: {@link ErrorCode#NOT_FOUND}, {@link ErrorCode#PERMISSION_DENIED}, {@link
 * ErrorCode#ALREADY_EXISTS}, {@link ErrorCode#RESOURCE_EXHAUSTED} for a full disk, otherwise {@link
 * ErrorCode#FILE_FAILED}, all with the path. Threads: as {@link Backend}.
 */
public interface Files {

  /**
   * Reads a regular file; anything else is refused, never waited for. Back-pressured; cancelling ends it.
   *
   * @param user who reads
   * @param path the file
   * @param offset first byte
   * @param length how many at most; -1 for all
   * @return chunks of at most 64 KiB
   */
  Multi<ByteBuffer> read(String user, String path, long offset, long length);

  /**
   * Writes a regular file from a stream, replacing what {@code mode} says. Cancelling leaves what was
   * written. Demand on {@code data} is the back-pressure.
   *
   * @param target where to and how
   * @param data the bytes, in chunks of at most 64 KiB
   * @return how many bytes were written
   */
  Uni<Long> write(WriteTarget target, Multi<ByteBuffer> data);

  /**
   * Describes an entry, not following a final symbolic link.
   *
   * @param user who asks
   * @param path the entry
   * @return its description
   */
  Uni<FileInfo> stat(String user, String path);

  /**
   * Lists a directory, depth first, in no particular order of names.
   *
   * @param user who asks
   * @param path the directory
   * @param depth 1 for its entries only, up to 64
   * @return its entries, the directory itself not among them
   */
  Multi<FileInfo> list(String user, String path, int depth);

  /**
   * Makes a directory.
   *
   * @param user its owner
   * @param path the directory
   * @param mode permission bits
   * @param parents whether to make missing parents, and to accept an existing directory
   * @return completion
   */
  Uni<Void> makeDirectory(String user, String path, int mode, boolean parents);

  /**
   * Renames an entry, replacing a file in its way.
   *
   * @param user who does it
   * @param from the entry
   * @param to its new path
   * @return completion
   */
  Uni<Void> move(String user, String from, String to);

  /**
   * Removes an entry; a symbolic link is removed, not followed.
   *
   * @param user who does it
   * @param path the entry
   * @param recursive whether a directory may have entries
   * @return completion
   */
  Uni<Void> remove(String user, String path, boolean recursive);

  /**
   * Where and how to write.
   *
   * @param user the owner of a new file
   * @param path the file
   * @param fileMode permission bits of a new file
   * @param mode what happens to an existing one
   * @param offset where the first byte goes; only with {@link WriteMode#RESUME}
   * @param parents whether to make missing directories above it
   */
  record WriteTarget(
      String user, String path, int fileMode, WriteMode mode, long offset, boolean parents) {}

  /** What happens to a file that exists. */
  enum WriteMode {
    /** It is cut to nothing first. */
    TRUNCATE,
    /** The call fails with {@link ErrorCode#ALREADY_EXISTS}. */
    CREATE,
    /** Bytes go to the end. */
    APPEND,
    /** Bytes go to the offset; what stands before it is kept. */
    RESUME
  }

  /**
   * An entry.
   *
   * @param path absolute
   * @param type what it is
   * @param mode permission bits, set-id and sticky bits included
   * @param uid owner as seen inside
   * @param gid group as seen inside
   * @param size bytes
   * @param modifiedNanos modification time, nanoseconds since the epoch
   * @param linkTarget where a symbolic link points, else empty
   */
  record FileInfo(
      String path,
      FileType type,
      int mode,
      int uid,
      int gid,
      long size,
      long modifiedNanos,
      String linkTarget) {}

  /** Kinds of entries. */
  enum FileType {
    /** A regular file. */
    REGULAR,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    SYMLINK,
    /** A device, pipe or socket. */
    OTHER
  }
}
