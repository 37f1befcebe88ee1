// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.DeleteSandboxBatchItem;
import dev.sandgate.proto.v1.DeleteSandboxBatchRequest;
import dev.sandgate.proto.v1.ErrorDetail;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.PauseSandboxBatchRequest;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import dev.sandgate.proto.v1.ResumeSandboxBatchRequest;
import dev.sandgate.proto.v1.RunExecBatchItem;
import dev.sandgate.proto.v1.RunExecBatchRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.smallrye.mutiny.Multi;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Calls that name many sandboxes, on any nodes. Nothing happens before a Multi is subscribed to; methods may be called from
 * any thread and never block.
 */
public final class Batches {

  /** Items of one call. */
  private static final int MOST_RUNS = 4_096;

  private static final int MOST_BYTES = 900 << 10;
  private static final int MOST_DELETES = 32_768;

  private final Calls calls;

  Batches(Calls calls) {
    this.calls = calls;
  }

  /**
   * What came of one sandbox.
   *
   * @param sandboxId which
   * @param execId the command's id there
   * @param result how the command ended; absent when that is not known
   * @param failure why there is no result; with UNKNOWN_OUTCOME or NODE_UNREACHABLE it may have run
   */
  public record Ran(
      String sandboxId,
      String execId,
      Optional<ExecResult> result,
      Optional<SandgateClientException> failure) {}

  /**
   * What came of one removal.
   *
   * @param sandboxId which
   * @param failure why it is not known to be gone; empty when it is
   */
  public record Removed(String sandboxId, Optional<SandgateClientException> failure) {}

  /**
   * What came of one pause.
   *
   * @param sandboxId which
   * @param result the sandbox and what its memory was before and after; absent when it is not known to stand still
   * @param failure why not
   */
  public record Paused(
      String sandboxId,
      Optional<PauseSandboxResponse> result,
      Optional<SandgateClientException> failure) {}

  /**
   * What came of one resume.
   *
   * @param sandboxId which
   * @param sandbox how it is; absent when it is not known to go on
   * @param failure why not
   */
  public record Resumed(
      String sandboxId, Optional<Sandbox> sandbox, Optional<SandgateClientException> failure) {}

  /**
   * Runs one command in many sandboxes.
   *
   * @param sandboxIds where, any number
   * @param command what; up to 256 KiB of each of its outputs are kept
   * @return one item per sandbox as it ends, in no order; fails when the stream ends before every item came. Cancelling
   *     stops the waiting, not the commands
   */
  public Multi<Ran> run(List<String> sandboxIds, Command command) {
    return Multi.createFrom()
        .iterable(sandboxIds)
        .map(id -> request(id, command))
        .collect()
        .asList()
        .onItem()
        .transformToMulti(this::run);
  }

  private static RunExecRequest request(String sandboxId, Command command) {
    return RunExecRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setExecId(UUID.randomUUID().toString())
        .setCommand(command)
        .build();
  }

  /**
   * Runs commands, each in a sandbox of its own choice.
   *
   * @param requests any number, with ids of the caller's: a call that is repeated with them runs nothing twice
   * @return as {@link #run(List, Command)}
   */
  public Multi<Ran> run(List<RunExecRequest> requests) {
    int largest = requests.stream().mapToInt(RunExecRequest::getSerializedSize).max().orElse(1);
    int together = Math.clamp(MOST_BYTES / largest, 1, MOST_RUNS);
    return Multi.createFrom()
        .iterable(requests)
        .group()
        .intoLists()
        .of(together)
        .onItem()
        .transformToMultiAndConcatenate(this::runTogether);
  }

  private Multi<Ran> runTogether(List<RunExecRequest> requests) {
    return calls
        .batch(
            ExecsGrpcClient.RunBatch,
            RunExecBatchRequest.newBuilder().addAllItems(requests).build(),
            requests.size())
        .map(item -> ran(requests.get(item.getIndex()), item));
  }

  private static Ran ran(RunExecRequest request, RunExecBatchItem item) {
    try {
      if (item.hasError()) {
        throw SandgateClientException.of(item.getError(), item.getMessage());
      }
      return new Ran(
          request.getSandboxId(),
          request.getExecId(),
          Optional.of(new ExecResult(item.getResult())),
          Optional.empty());
    } catch (SandgateClientException failure) {
      return new Ran(
          request.getSandboxId(), request.getExecId(), Optional.empty(), Optional.of(failure));
    }
  }

  /**
   * Kills everything in many sandboxes and removes them.
   *
   * @param sandboxIds any number; one that is not there counts as removed
   * @return one item per sandbox as it is gone or failed, in no order; fails when the stream ends before every item came
   */
  public Multi<Removed> delete(List<String> sandboxIds) {
    return Multi.createFrom()
        .iterable(sandboxIds)
        .group()
        .intoLists()
        .of(MOST_DELETES)
        .onItem()
        .transformToMultiAndConcatenate(this::deleteTogether);
  }

  private Multi<Removed> deleteTogether(List<String> ids) {
    return calls
        .batch(
            SandboxesGrpcClient.DeleteBatch,
            DeleteSandboxBatchRequest.newBuilder().addAllSandboxIds(ids).build(),
            ids.size())
        .map(item -> removed(ids.get(item.getIndex()), item));
  }

  /**
   * Pauses many sandboxes, of any nodes.
   *
   * @param which their ids, or labels: all running ones of a job, for example
   * @return one item per sandbox as it stands still or failed, in no order
   */
  public Multi<Paused> pause(PauseSandboxBatchRequest which) {
    return calls.stream(SandboxesGrpcClient.PauseBatch, which)
        .map(
            item ->
                new Paused(
                    item.getSandboxId(),
                    Optional.of(item.getPaused()).filter(_ -> item.hasPaused()),
                    failure(item.hasError(), item.getError(), item.getMessage())));
  }

  /**
   * Resumes many sandboxes, of any nodes.
   *
   * @param which their ids, or labels: all paused ones of a job, for example
   * @return one item per sandbox as it goes on or failed, in no order
   */
  public Multi<Resumed> resume(ResumeSandboxBatchRequest which) {
    return calls.stream(SandboxesGrpcClient.ResumeBatch, which)
        .map(
            item ->
                new Resumed(
                    item.getSandboxId(),
                    Optional.of(item.getSandbox()).filter(_ -> item.hasSandbox()),
                    failure(item.hasError(), item.getError(), item.getMessage())));
  }

  private static Optional<SandgateClientException> failure(
      boolean failed, ErrorDetail error, String message) {
    return failed ? Optional.of(SandgateClientException.of(error, message)) : Optional.empty();
  }

  private static Removed removed(String id, DeleteSandboxBatchItem item) {
    return new Removed(id, failure(item.hasError(), item.getError(), item.getMessage()));
  }
}
