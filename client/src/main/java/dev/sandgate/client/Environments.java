// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentHistory;
import dev.sandgate.proto.v1.EnvironmentHistoryRequest;
import dev.sandgate.proto.v1.EnvironmentLock;
import dev.sandgate.proto.v1.EnvironmentVersion;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.ListEnvironmentLocksRequest;
import dev.sandgate.proto.v1.ListEnvironmentLocksResponse;
import dev.sandgate.proto.v1.ListEnvironmentsRequest;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import dev.sandgate.proto.v1.LockEnvironmentRequest;
import dev.sandgate.proto.v1.PullEnvironmentRequest;
import dev.sandgate.proto.v1.RemoveEnvironmentRequest;
import dev.sandgate.proto.v1.ShareEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentRequest;
import dev.sandgate.proto.v1.UnlockEnvironmentResponse;
import dev.sandgate.proto.v1.UnshareEnvironmentRequest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps environments. Nothing happens before a Uni or Multi is subscribed to; methods may be called from any thread
 * and never block. Failures are SandgateClientException.
 */
public final class Environments {

  private static final int CHUNK_BYTES = 64 * 1024;

  private final Calls calls;

  Environments(Calls calls) {
    this.calls = calls;
  }

  /**
   * Makes an environment from a builtin, or a directory or archive on the node.
   *
   * @param request name, source, what it stands on
   * @return how it goes, last with the environment; fails when it ends without one. Cancelling stops the import
   */
  public Multi<ImportProgress> importFrom(ImportEnvironmentRequest request) {
    return checked(
        calls.duplex(EnvironmentsGrpcClient.ImportEnvironment, Multi.createFrom().item(request)));
  }

  /**
   * Makes an environment from a tar archive of the caller's.
   *
   * @param request name, what it stands on; its source is set by this method
   * @param tar the archive, asked for as the node takes it
   * @return as {@link #importFrom}
   */
  public Multi<ImportProgress> upload(ImportEnvironmentRequest request, Multi<ByteBuffer> tar) {
    Multi<ImportEnvironmentRequest> parts =
        tar.onItem()
            .transformToMultiAndConcatenate(buffer -> Chunks.of(buffer, CHUNK_BYTES))
            .map(
                bytes ->
                    ImportEnvironmentRequest.newBuilder()
                        .setData(UnsafeByteOperations.unsafeWrap(bytes))
                        .build());
    Multi<ImportEnvironmentRequest> head =
        Multi.createFrom().item(request.toBuilder().setUpload(true).build());
    return checked(
        calls.duplex(
            EnvironmentsGrpcClient.ImportEnvironment,
            Multi.createBy().concatenating().streams(head, parts)));
  }

  private static Multi<ImportProgress> checked(Multi<ImportProgress> progress) {
    return Multi.createFrom()
        .deferred(
            () -> {
              AtomicBoolean made = new AtomicBoolean();
              return progress
                  .onItem()
                  .invoke(step -> made.compareAndSet(false, step.hasEnvironment()))
                  .onCompletion()
                  .call(() -> made.get() ? Uni.createFrom().voidItem() : missing("environment"));
            });
  }

  private static Uni<Void> missing(String what) {
    return Uni.createFrom()
        .failure(SandgateClientException.unknownOutcome("the call ended without an " + what, null));
  }

  /**
   * Lists all environments.
   *
   * @return the list
   */
  public Uni<List<Environment>> list() {
    return Pages.all(
        token ->
            calls.unary(
                EnvironmentsGrpcClient.List,
                ListEnvironmentsRequest.newBuilder().setPageToken(token).build()),
        ListEnvironmentsResponse::getEnvironmentsList,
        ListEnvironmentsResponse::getNextPageToken);
  }

  /**
   * Shows one.
   *
   * @param reference {@code name}, {@code name:tag}, {@code name@sha256:…} or {@code sha256:…}
   * @return the environment; fails with NOT_FOUND
   */
  public Uni<Environment> get(String reference) {
    return calls.unary(
        EnvironmentsGrpcClient.Get,
        GetEnvironmentRequest.newBuilder().setReference(reference).build());
  }

  /**
   * Gives an environment, or a snapshot, away as an image of the OCI.
   *
   * @param request which, what it is called, and whether the node sends it to a registry
   * @return how it goes and the archive's bytes, asked of the node as they are wanted, last with the image; fails when it ends
   *     without one, with NOT_FOUND, FAILED_PRECONDITION, RESOURCE_EXHAUSTED. Cancelling stops the export
   */
  public Multi<ExportEnvironmentResponse> export(ExportEnvironmentRequest request) {
    return Multi.createFrom()
        .deferred(
            () -> {
              AtomicBoolean whole = new AtomicBoolean();
              return calls.stream(EnvironmentsGrpcClient.Export, request)
                  .onItem()
                  .invoke(part -> whole.compareAndSet(false, part.hasImage()))
                  .onCompletion()
                  .call(() -> whole.get() ? Uni.createFrom().voidItem() : missing("image"));
            });
  }

  /**
   * Shows what a name:tag stands for and stood for.
   *
   * @param reference as in {@link #get}
   * @return youngest first; fails with NOT_FOUND
   */
  public Uni<List<EnvironmentVersion>> history(String reference) {
    return Pages.all(
        token ->
            calls.unary(
                EnvironmentsGrpcClient.History,
                EnvironmentHistoryRequest.newBuilder()
                    .setReference(reference)
                    .setPageToken(token)
                    .build()),
        EnvironmentHistory::getVersionsList,
        EnvironmentHistory::getNextPageToken);
  }

  /**
   * Locks a name:tag for a job: sandboxes with the label {@code job} get what it stands for now until {@link #unlock}.
   *
   * @param job the value of the label
   * @param reference {@code name} or {@code name:tag}
   * @return the lock, the one there was if it was locked before; fails with NOT_FOUND, RESOURCE_EXHAUSTED
   */
  public Uni<EnvironmentLock> lock(String job, String reference) {
    return calls.unary(
        EnvironmentsGrpcClient.Lock,
        LockEnvironmentRequest.newBuilder().setJob(job).setReference(reference).build());
  }

  /**
   * Releases locks of a job.
   *
   * @param job the value of the label
   * @param reference {@code name} or {@code name:tag}; empty: all of the job
   * @return how many there were; none is no failure
   */
  public Uni<Integer> unlock(String job, String reference) {
    return calls
        .unary(
            EnvironmentsGrpcClient.Unlock,
            UnlockEnvironmentRequest.newBuilder().setJob(job).setReference(reference).build())
        .map(UnlockEnvironmentResponse::getReleased);
  }

  /**
   * Lists locks.
   *
   * @param job whose; empty: all
   * @return in the order of jobs and names
   */
  public Uni<List<EnvironmentLock>> locks(String job) {
    return Pages.all(
        token ->
            calls.unary(
                EnvironmentsGrpcClient.ListLocks,
                ListEnvironmentLocksRequest.newBuilder().setJob(job).setPageToken(token).build()),
        ListEnvironmentLocksResponse::getLocksList,
        ListEnvironmentLocksResponse::getNextPageToken);
  }

  /**
   * Removes a name and layers that nothing names any more.
   *
   * @param reference as in {@link #get}
   * @return completes when it is gone; fails with NOT_FOUND, or FAILED_PRECONDITION while sandboxes use it, jobs lock it
   *     or snapshots stand on it
   */
  public Uni<Void> remove(String reference) {
    RemoveEnvironmentRequest request =
        RemoveEnvironmentRequest.newBuilder().setReference(reference).build();
    return calls.unary(EnvironmentsGrpcClient.Remove, request, Duration.ZERO).replaceWithVoid();
  }

  /**
   * Puts an environment of a node's into the directory of layers that nodes share; takes as long as copying its images does.
   *
   * @param reference as in {@link #get}
   * @param replace whether a name that another environment has there is moved
   * @return the environment; fails with NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION when nodes share none, or
   *     LAYERS_UNAVAILABLE
   */
  public Uni<Environment> share(String reference, boolean replace) {
    ShareEnvironmentRequest request =
        ShareEnvironmentRequest.newBuilder().setReference(reference).setReplace(replace).build();
    return calls.unary(EnvironmentsGrpcClient.Share, request, Duration.ZERO);
  }

  /**
   * Takes a name out of the directory of layers that nodes share; its layers stay there.
   *
   * @param reference {@code name} or {@code name:tag}
   * @return completes when it is gone; fails with NOT_FOUND, FAILED_PRECONDITION or LAYERS_UNAVAILABLE
   */
  public Uni<Void> unshare(String reference) {
    UnshareEnvironmentRequest request =
        UnshareEnvironmentRequest.newBuilder().setReference(reference).build();
    return calls.unary(EnvironmentsGrpcClient.Unshare, request, Duration.ZERO).replaceWithVoid();
  }

  /**
   * Finds the layers of the shared storage that no shared name and no node needs, and removes them if told so.
   *
   * @param idle only those shared longer ago than this, milliseconds precise
   * @param remove whether they are removed
   * @return what nothing needs; fails with FAILED_PRECONDITION when nodes share none, UNAVAILABLE when a node does not
   *     answer, or LAYERS_UNAVAILABLE
   */
  public Uni<CollectSharedResponse> collectShared(Duration idle, boolean remove) {
    CollectSharedRequest request =
        CollectSharedRequest.newBuilder().setIdleMillis(idle.toMillis()).setRemove(remove).build();
    return calls.unary(EnvironmentsGrpcClient.CollectShared, request, Duration.ZERO);
  }

  /**
   * Brings all layers of a shared environment to every node.
   *
   * @param reference as in {@link #get}
   * @return the environment, when they are there; fails with NOT_FOUND, FAILED_PRECONDITION when what is shared is
   *     damaged or nodes share none, or LAYERS_UNAVAILABLE
   */
  public Uni<Environment> pull(String reference) {
    PullEnvironmentRequest request =
        PullEnvironmentRequest.newBuilder().setReference(reference).build();
    return calls.unary(EnvironmentsGrpcClient.Pull, request, Duration.ZERO);
  }
}
