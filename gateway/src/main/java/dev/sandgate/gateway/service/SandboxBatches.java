// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.DeleteSandboxBatchItem;
import dev.sandgate.proto.v1.DeleteSandboxBatchRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.RunExecBatchItem;
import dev.sandgate.proto.v1.RunExecBatchRequest;
import dev.sandgate.proto.v1.RunExecRequest;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.Future;

/** Calls that name many sandboxes, each made on the node that its id names. */
final class SandboxBatches {

  private static final int MOST_RUNS = 4_096;
  private static final int MOST_DELETES = 32_768;
  private static final int RUNS_AT_ONCE = 256;
  private static final int DELETES_AT_ONCE = 64;
  private static final long OUTPUT_BYTES = 256 << 10;
  private static final long LONGEST_MILLIS = 86_400_000;
  private static final long GRACE_MILLIS = 60_000;

  private final Fleet fleet;

  SandboxBatches(Fleet fleet) {
    this.fleet = fleet;
  }

  void run(RunExecBatchRequest request, Call<RunExecBatchRequest, RunExecBatchItem> call) {
    int count = counted("items", request.getItemsCount(), MOST_RUNS);
    new Fanout<RunExecBatchItem>(
            call,
            count,
            RUNS_AT_ONCE,
            index ->
                run(bounded(request.getItems(index)), call)
                    .map(result -> ran(index, result))
                    .otherwise(failure -> notRun(index, CallFailed.of(failure).failure())))
        .launch();
  }

  private Future<ExecResult> run(RunExecRequest item, Caller caller) {
    long asked = item.getCommand().getTimeoutMillis();
    long limit = asked <= 0 ? LONGEST_MILLIS : Math.min(LONGEST_MILLIS, asked) + GRACE_MILLIS;
    return fleet
        .ofSandbox(item.getSandboxId())
        .compose(node -> node.ask(ExecsGrpcClient.Run, item, limit, caller));
  }

  /** So that what is under way fits into memory, whatever the commands print. */
  private static RunExecRequest bounded(RunExecRequest item) {
    long asked = item.getCommand().getOutputCapBytes();
    if (asked < 0 || (asked > 0 && asked <= OUTPUT_BYTES)) {
      return item;
    }
    Command capped = item.getCommand().toBuilder().setOutputCapBytes(OUTPUT_BYTES).build();
    return item.toBuilder().setCommand(capped).build();
  }

  private static RunExecBatchItem ran(int index, ExecResult result) {
    return RunExecBatchItem.newBuilder().setIndex(index).setResult(result).build();
  }

  private static RunExecBatchItem notRun(int index, Failure failure) {
    return RunExecBatchItem.newBuilder()
        .setIndex(index)
        .setError(failure.detail())
        .setMessage(failure.message())
        .build();
  }

  void delete(
      DeleteSandboxBatchRequest request,
      Call<DeleteSandboxBatchRequest, DeleteSandboxBatchItem> call) {
    int count = counted("sandbox_ids", request.getSandboxIdsCount(), MOST_DELETES);
    new Fanout<DeleteSandboxBatchItem>(
            call,
            count,
            DELETES_AT_ONCE * Math.max(1, fleet.all().size()),
            index ->
                delete(request.getSandboxIds(index), call)
                    .map(_ -> DeleteSandboxBatchItem.newBuilder().setIndex(index).build())
                    .otherwise(failure -> kept(index, CallFailed.of(failure).failure())))
        .launch();
  }

  private Future<?> delete(String id, Caller caller) {
    DeleteSandboxRequest request = DeleteSandboxRequest.newBuilder().setSandboxId(id).build();
    return fleet
        .ofSandbox(id)
        .compose(node -> node.ask(SandboxesGrpcClient.Delete, request, GRACE_MILLIS, caller));
  }

  private static DeleteSandboxBatchItem kept(int index, Failure failure) {
    return DeleteSandboxBatchItem.newBuilder()
        .setIndex(index)
        .setError(failure.detail())
        .setMessage(failure.message())
        .build();
  }

  private static int counted(String field, int count, int most) {
    if (count < 1 || count > most) {
      throw CallFailed.invalid(field, count + " is not within 1 to " + most);
    }
    return count;
  }
}
