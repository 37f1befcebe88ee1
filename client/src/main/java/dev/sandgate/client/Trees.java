// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.proto.v1.DownloadArchiveRequest;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FilesGrpcClient;
import dev.sandgate.proto.v1.ListChangesRequest;
import dev.sandgate.proto.v1.ListChangesResponse;
import dev.sandgate.proto.v1.UploadArchiveRequest;
import dev.sandgate.proto.v1.UploadArchiveResponse;
import dev.sandgate.proto.v1.WatchFilesRequest;
import dev.sandgate.proto.v1.WatchFilesResponse;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/**
 * Whole directories of one sandbox. Paths are absolute. Nothing happens before a Uni or Multi is subscribed to; methods may
 * be called from any thread and never block. Failures: as those of {@link Files}, and UNSUPPORTED when the sandbox's
 * backend cannot do it.
 */
public final class Trees {

  private static final int CHUNK_BYTES = 64 * 1024;

  private final Calls calls;
  private final String sandboxId;
  private final String user;

  Trees(Calls calls, String sandboxId, String user) {
    this.calls = calls;
    this.sandboxId = sandboxId;
    this.user = user;
  }

  /**
   * A directory with everything in it as a tar archive that is made while it is read.
   *
   * @param path the directory, or a file or link
   * @return the bytes (pax, not compressed) as they are asked for, read-only; cancelling stops it
   */
  public Multi<ByteBuffer> download(String path) {
    DownloadArchiveRequest request =
        DownloadArchiveRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .build();
    return calls.stream(FilesGrpcClient.DownloadArchive, request)
        .map(part -> part.getData().asReadOnlyByteBuffer());
  }

  /**
   * Extracts a tar archive below a directory, which is made when it is missing. Nothing is written outside of it.
   *
   * @param path the directory
   * @param tar the bytes (ustar, pax or GNU, not compressed), asked for as the sandbox takes them
   * @return how much was extracted; a failure names the entry and says how many are in place. A failure of the
   *     archive's stream is given as it is
   */
  public Uni<UploadArchiveResponse> upload(String path, Multi<ByteBuffer> tar) {
    UploadArchiveRequest head =
        UploadArchiveRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setParents(true)
            .build();
    Multi<UploadArchiveRequest> parts =
        tar.onItem()
            .transformToMultiAndConcatenate(buffer -> Chunks.of(buffer, CHUNK_BYTES))
            .map(this::part);
    return calls.upload(
        FilesGrpcClient.UploadArchive,
        Multi.createBy().concatenating().streams(Multi.createFrom().item(head), parts));
  }

  private UploadArchiveRequest part(ByteBuffer bytes) {
    return UploadArchiveRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setData(UnsafeByteOperations.unsafeWrap(bytes))
        .build();
  }

  /**
   * What happens in a directory from now on; the first event says that watching began.
   *
   * @param path the directory
   * @param recursive whether to watch the directories below it, new ones included
   * @return the events; ends when the directory is removed or moved away, or by cancelling
   */
  public Multi<WatchFilesResponse> watch(String path, boolean recursive) {
    WatchFilesRequest request =
        WatchFilesRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setPath(path)
            .setUser(user)
            .setRecursive(recursive)
            .build();
    return calls.stream(FilesGrpcClient.Watch, request);
  }

  /**
   * What is different in the sandbox from the environment it was made of.
   *
   * @return changes as they are asked for, a directory before what is in it
   */
  public Multi<FileChange> changes() {
    ListChangesRequest request = ListChangesRequest.newBuilder().setSandboxId(sandboxId).build();
    return calls.stream(FilesGrpcClient.Changes, request)
        .onItem()
        .transformToIterable(ListChangesResponse::getChangesList);
  }
}
