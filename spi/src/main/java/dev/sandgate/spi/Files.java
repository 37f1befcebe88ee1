// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/**
 * File operations, done inside the sandbox as one of its users; no host path is ever involved.
 *
 * <p>Paths are absolute; their bytes that are no UTF-8 are shown as U+FFFD and cannot be asked for. {@code
 * user} is a name or number known inside, or empty for the sandbox's user.
 * Errors: {@link ErrorCode#NOT_FOUND}, {@link ErrorCode#PERMISSION_DENIED}, {@link
 * ErrorCode#ALREADY_EXISTS}, {@link ErrorCode#RESOURCE_EXHAUSTED} for a full disk, otherwise {@link
 * ErrorCode#FILE_FAILED}, all with the path. Threads: as {@link Backend}.
 */
public interface Files {

  /**
   * Reads a regular file, as far as it goes when it is opened; anything else is refused, never waited for.
   * Back-pressured; cancelling ends it.
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
   * written. Demand on {@code data} is the back-pressure. Two writers of one file never mix: the second one
   * waits for a short time, then fails with {@link ErrorCode#FILE_FAILED}.
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
   * Changes the owner, then the permission bits. A symbolic link is not followed: its owner is changed, its
   * mode cannot be ({@link ErrorCode#FILE_FAILED}).
   *
   * @param user who does it
   * @param path the entry
   * @param attributes what to change
   * @return completion
   */
  Uni<Void> setAttributes(String user, String path, Attributes attributes);

  /**
   * Hashes a regular file inside the sandbox; only the digest leaves it. Cancelling ends it.
   *
   * @param user who reads
   * @param path the file
   * @return its digest, of as much as the file had when it was opened
   */
  Uni<Checksum> checksum(String user, String path);

  /**
   * A directory with everything in it, or one file or link, as a tar stream (pax) that is made while it is
   * read: nothing is stored. Names are relative to {@code path}, its own entry is {@code ./}. Hard links are
   * separate files; a device, pipe or socket, or a file with over 1 GiB of holes, fails it with the name.
   * Needs {@link Capability#ARCHIVES}. Back-pressured; cancelling ends it.
   *
   * @param user who reads
   * @param path the directory
   * @return chunks of at most 64 KiB
   */
  default Multi<ByteBuffer> archive(String user, String path) {
    return Multi.createFrom().failure(() -> unsupported(Capability.ARCHIVES));
  }

  /**
   * Puts a tar stream (ustar, pax or GNU, not compressed) below a directory while it arrives. Everything is
   * the user's; modes, times and symbolic links are kept, files and links are replaced. Nothing is written
   * outside of the directory or through a link: a name that leads out, a link in the way, a hard link to
   * something else, a device, a pipe, a set-id file, a sparse entry or one over a limit fails it with the
   * entry's name and with how many entries before it are in place. Cancelling leaves what was extracted.
   * Needs {@link Capability#ARCHIVES}.
   *
   * @param target where to, and how much at most
   * @param tar the archive, in chunks of at most 64 KiB; demand is the back-pressure
   * @return what was extracted
   */
  default Uni<Extracted> extract(ExtractTarget target, Multi<ByteBuffer> tar) {
    return Uni.createFrom().failure(() -> unsupported(Capability.ARCHIVES));
  }

  /**
   * What happens in a directory from now on. The first event is {@link EventKind#STARTED}: what happens
   * after it is seen. Ends after the directory itself was removed or moved away, else only by cancelling.
   * What cannot be seen (a slow reader, too many directories, no permission) is said by {@link
   * EventKind#LOST}. Needs {@link Capability#WATCH}. Back-pressured.
   *
   * @param user who watches
   * @param path the directory
   * @param recursive whether to watch the directories below it, new ones included
   * @return the events, in order; entries of a new directory may be said to be created twice
   */
  default Multi<FileEvent> watch(String user, String path, boolean recursive) {
    return Multi.createFrom().failure(() -> unsupported(Capability.WATCH));
  }

  private static SandgateException unsupported(Capability capability) {
    return new SandgateException(ErrorCode.UNSUPPORTED, "backend lacks " + capability);
  }

  /**
   * What to change of an entry.
   *
   * @param mode permission bits, 0–07777; -1 to leave them
   * @param owner {@code user}, {@code user:group} or {@code :group}, names or numbers; empty to leave it
   */
  record Attributes(int mode, String owner) {}

  /**
   * A digest.
   *
   * @param size how many bytes were hashed
   * @param sha256 64 lower-case hexadecimal digits
   */
  record Checksum(long size, String sha256) {}

  /**
   * Where to extract an archive to.
   *
   * @param user the owner of what is made
   * @param path the directory
   * @param parents whether to make the directory and those above it
   * @param maxBytes most bytes of files in all
   * @param maxEntries most entries
   */
  record ExtractTarget(String user, String path, boolean parents, long maxBytes, int maxEntries) {}

  /**
   * What was extracted.
   *
   * @param bytes of files
   * @param entries of any kind
   */
  record Extracted(long bytes, long entries) {}

  /**
   * Something that happened.
   *
   * @param kind what
   * @param directory whether the entry is a directory
   * @param path the entry, absolute
   * @param to for {@link EventKind#MOVED} its new path, else empty
   */
  record FileEvent(EventKind kind, boolean directory, String path, String to) {}

  /** Kinds of events. */
  enum EventKind {
    /** Watching began. */
    STARTED,
    /** An entry was made, or moved in from elsewhere. */
    CREATED,
    /** A file's content changed. */
    MODIFIED,
    /** An entry was removed, or moved out. */
    REMOVED,
    /** An entry got another name, maybe in another watched directory. */
    MOVED,
    /** Mode, owner or times changed. */
    ATTRIBUTES,
    /** Events at or below the path were lost, or are not seen. */
    LOST
  }

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
