// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.proto.v1.ChecksumFileRequest;
import dev.sandgate.proto.v1.ChecksumFileResponse;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.ListFilesRequest;
import dev.sandgate.proto.v1.ListFilesResponse;
import dev.sandgate.proto.v1.MakeDirectoryRequest;
import dev.sandgate.proto.v1.MoveFileRequest;
import dev.sandgate.proto.v1.ReadFileRequest;
import dev.sandgate.proto.v1.RemoveFileRequest;
import dev.sandgate.proto.v1.SetFileAttributesRequest;
import dev.sandgate.proto.v1.StatFileRequest;
import dev.sandgate.proto.v1.WriteFileRequest;
import dev.sandgate.proto.v1.WriteFileResponse;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Moves files in and out of one sandbox and looks after them, as one of its users. Paths are absolute. Nothing happens
 * before a Uni or Multi is subscribed to; methods may be called from any thread and never block. Failures:
 * NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, RESOURCE_EXHAUSTED, FILE_FAILED, all with the path.
 */
public final class Files {

  private static final int CHUNK_BYTES = 64 * 1024;

  private final Calls calls;
  private final String sandboxId;
  private final String user;

  Files(Calls calls, String sandboxId, String user) {
    this.calls = calls;
    this.sandboxId = sandboxId;
    this.user = user;
  }

  /**
   * The same files as another user.
   *
   * @param name a user known inside
   * @return files as that user
   */
  public Files as(String name) {
    return new Files(calls, sandboxId, name);
  }

  /**
   * Reads a regular file.
   *
   * @param path the file
   * @return its bytes as they are asked for, read-only; cancelling stops the reading
   */
  public Multi<ByteBuffer> read(String path) {
    return read(path, 0, 0);
  }

  /**
   * Reads a part of a regular file.
   *
   * @param path the file
   * @param offset first byte
   * @param length at most this many bytes; 0: to the end
   * @return as {@link #read(String)}
   */
  public Multi<ByteBuffer> read(String path, long offset, long length) {
    ReadFileRequest request =
        ReadFileRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setOffset(offset)
            .setLength(length)
            .build();
    return calls.stream(FilesGrpcClient.Read, request)
        .map(part -> part.getData().asReadOnlyByteBuffer());
  }

  /**
   * Reads a whole regular file into memory.
   *
   * @param path the file
   * @param maxBytes fails with RESOURCE_EXHAUSTED when the file has more
   * @return its bytes
   */
  public Uni<byte[]> readAll(String path, int maxBytes) {
    return Uni.createFrom()
        .deferred(
            () -> {
              BoundedBytes bytes = new BoundedBytes(path, maxBytes);
              return read(path)
                  .onItem()
                  .invoke(bytes::add)
                  .collect()
                  .last()
                  .map(last -> bytes.take());
            });
  }

  /**
   * Writes a regular file, replacing what is there.
   *
   * @param path the file
   * @param bytes all of it; not to be changed before the Uni completes
   * @return how many bytes were written
   */
  public Uni<Long> write(String path, byte[] bytes) {
    return write(path, Multi.createFrom().item(ByteBuffer.wrap(bytes)), FileWrite.REPLACE);
  }

  /**
   * Writes a regular file from a stream.
   *
   * @param path the file
   * @param content its bytes, asked for as the sandbox takes them
   * @param how mode, permissions
   * @return how many bytes were written; when it fails or is cancelled, part may be. A failure of the content is given as
   *     it is
   */
  public Uni<Long> write(String path, Multi<ByteBuffer> content, FileWrite how) {
    WriteFileRequest head =
        WriteFileRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setMode(how.permissions())
            .setWriteMode(how.writeMode())
            .setOffset(how.offset())
            .setParents(how.parents())
            .build();
    Multi<WriteFileRequest> parts =
        content
            .onItem()
            .transformToMultiAndConcatenate(buffer -> Chunks.of(buffer, CHUNK_BYTES))
            .map(this::part);
    return calls
        .upload(
            FilesGrpcClient.Write,
            Multi.createBy().concatenating().streams(Multi.createFrom().item(head), parts))
        .map(WriteFileResponse::getBytesWritten);
  }

  private WriteFileRequest part(ByteBuffer bytes) {
    ByteString data = UnsafeByteOperations.unsafeWrap(bytes);
    return WriteFileRequest.newBuilder().setSandboxId(sandboxId).setData(data).build();
  }

  /**
   * Describes an entry, not following a final symbolic link.
   *
   * @param path the entry
   * @return what it is
   */
  public Uni<FileInfo> stat(String path) {
    StatFileRequest request =
        StatFileRequest.newBuilder().setSandboxId(sandboxId).setPath(path).setUser(user).build();
    return calls.unary(FilesGrpcClient.Stat, request);
  }

  /**
   * Lists a directory.
   *
   * @param path the directory
   * @param depth levels, 1 … 64
   * @return its entries as they are asked for
   */
  public Multi<FileInfo> list(String path, int depth) {
    ListFilesRequest request =
        ListFilesRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setDepth(depth)
            .build();
    return calls.stream(FilesGrpcClient.List, request)
        .onItem()
        .transformToIterable(ListFilesResponse::getEntriesList);
  }

  /**
   * Makes a directory with its missing parents; one that exists is no error.
   *
   * @param path the directory
   * @param permissions permission bits; 0: 0755
   * @return completes when it is there
   */
  public Uni<Void> makeDirectory(String path, int permissions) {
    MakeDirectoryRequest request =
        MakeDirectoryRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setMode(permissions)
            .setParents(true)
            .build();
    return calls.unary(FilesGrpcClient.MakeDirectory, request).replaceWithVoid();
  }

  /**
   * Renames an entry, replacing a file in its way.
   *
   * @param from the entry
   * @param to its new path
   * @return completes when it is renamed
   */
  public Uni<Void> move(String from, String to) {
    MoveFileRequest request =
        MoveFileRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setFrom(from)
            .setTo(to)
            .setUser(user)
            .build();
    return calls.unary(FilesGrpcClient.Move, request).replaceWithVoid();
  }

  /**
   * Removes an entry; a symbolic link is removed, not followed.
   *
   * @param path the entry
   * @param recursive whether a directory may have entries
   * @return completes when it is gone
   */
  public Uni<Void> remove(String path, boolean recursive) {
    RemoveFileRequest request =
        RemoveFileRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setRecursive(recursive)
            .build();
    return calls.unary(FilesGrpcClient.Remove, request, Duration.ZERO).replaceWithVoid();
  }

  /**
   * Changes permission bits; a symbolic link has none.
   *
   * @param path the entry
   * @param permissions for example 0755
   * @return completes when they are changed
   */
  public Uni<Void> changeMode(String path, int permissions) {
    return setAttributes(attributes(path).setMode(permissions));
  }

  /**
   * Changes the owner of an entry; a symbolic link is not followed.
   *
   * @param path the entry
   * @param owner {@code user}, {@code user:group} or {@code :group}, names known inside or numbers
   * @return completes when it is changed
   */
  public Uni<Void> changeOwner(String path, String owner) {
    return setAttributes(attributes(path).setOwner(owner));
  }

  private SetFileAttributesRequest.Builder attributes(String path) {
    return SetFileAttributesRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setPath(path)
        .setUser(user);
  }

  private Uni<Void> setAttributes(SetFileAttributesRequest.Builder request) {
    return calls.unary(FilesGrpcClient.SetAttributes, request.build()).replaceWithVoid();
  }

  /**
   * Hashes a regular file inside the sandbox; its bytes do not leave it.
   *
   * @param path the file
   * @return its SHA-256 and size
   */
  public Uni<ChecksumFileResponse> checksum(String path) {
    ChecksumFileRequest request =
        ChecksumFileRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .build();
    return calls.unary(FilesGrpcClient.Checksum, request, Duration.ZERO);
  }

  /**
   * Whole directories: archives, watching, changes; as the same user.
   *
   * @return a view, cheap to make
   */
  public Trees trees() {
    return new Trees(calls, sandboxId, user);
  }
}
