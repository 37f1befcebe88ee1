// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.PauseSandboxBatchItem;
import dev.sandgate.proto.v1.PauseSandboxBatchRequest;
import dev.sandgate.proto.v1.PauseSandboxRequest;
import dev.sandgate.proto.v1.ResumeSandboxBatchItem;
import dev.sandgate.proto.v1.ResumeSandboxBatchRequest;
import dev.sandgate.proto.v1.ResumeSandboxRequest;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Pauses and resumes many sandboxes of any nodes with one call: those of a job, when its accelerators are taken away (DSec §6.3). */
final class PauseBatches {

  private static final int MOST = 32_768;
  private static final int PAGE = 1_000;
  private static final int AT_ONCE = 64;
  private static final long PAUSE_MILLIS = 400_000;
  private static final long RESUME_MILLIS = 60_000;
  private static final long RETRY_MILLIS = 1_000;

  private final Fleet fleet;
  private final Listing listing;

  PauseBatches(Fleet fleet, Listing listing) {
    this.fleet = fleet;
    this.listing = listing;
  }

  void pause(
      PauseSandboxBatchRequest request,
      Call<PauseSandboxBatchRequest, PauseSandboxBatchItem> call) {
    Selected asked =
        new Selected(
            request.getSandboxIdsList(),
            request.getLabelsMap(),
            SandboxState.SANDBOX_STATE_RUNNING);
    each(asked, call, id -> paused(id, call));
  }

  private Future<PauseSandboxBatchItem> paused(String id, Caller caller) {
    PauseSandboxRequest one = PauseSandboxRequest.newBuilder().setSandboxId(id).build();
    return fleet
        .ofSandbox(id)
        .compose(node -> node.ask(SandboxesGrpcClient.Pause, one, PAUSE_MILLIS, caller))
        .map(paused -> item(id).setPaused(paused).build())
        .otherwise(
            failure -> {
              Failure why = CallFailed.of(failure).failure();
              return item(id).setError(why.detail()).setMessage(why.message()).build();
            });
  }

  private static PauseSandboxBatchItem.Builder item(String id) {
    return PauseSandboxBatchItem.newBuilder().setSandboxId(id);
  }

  void resume(
      ResumeSandboxBatchRequest request,
      Call<ResumeSandboxBatchRequest, ResumeSandboxBatchItem> call) {
    Selected asked =
        new Selected(
            request.getSandboxIdsList(), request.getLabelsMap(), SandboxState.SANDBOX_STATE_PAUSED);
    each(asked, call, id -> resumed(id, call));
  }

  private Future<ResumeSandboxBatchItem> resumed(String id, Caller caller) {
    ResumeSandboxRequest one = ResumeSandboxRequest.newBuilder().setSandboxId(id).build();
    return fleet
        .ofSandbox(id)
        .compose(node -> node.ask(SandboxesGrpcClient.Resume, one, RESUME_MILLIS, caller))
        .map(sandbox -> going(id).setSandbox(sandbox).build())
        .otherwise(
            failure -> {
              Failure why = CallFailed.of(failure).failure();
              return going(id).setError(why.detail()).setMessage(why.message()).build();
            });
  }

  private static ResumeSandboxBatchItem.Builder going(String id) {
    return ResumeSandboxBatchItem.newBuilder().setSandboxId(id);
  }

  /** Which sandboxes a batch names: ids, or labels and the state that it changes. */
  private record Selected(List<String> ids, Map<String, String> labels, SandboxState state) {

    ListSandboxesRequest page(String token) {
      return ListSandboxesRequest.newBuilder()
          .putAllLabels(labels)
          .addStates(state)
          .setPageSize(PAGE)
          .setPageToken(token)
          .build();
    }
  }

  private <I> void each(Selected asked, Call<?, I> call, Function<String, Future<I>> work) {
    if (asked.ids().isEmpty() == asked.labels().isEmpty()) {
      throw CallFailed.invalid("sandbox_ids", "name either sandboxes or labels");
    }
    requireFew(asked.ids().size());
    Future<List<String>> ids =
        asked.ids().isEmpty()
            ? select(asked, "", new ArrayList<>(), call)
            : Future.succeededFuture(asked.ids());
    ids.onSuccess(found -> call.execute(() -> launch(found, call, work)))
        .onFailure(failure -> call.execute(() -> call.fail(failure)));
  }

  private <I> void launch(List<String> ids, Call<?, I> call, Function<String, Future<I>> work) {
    if (ids.isEmpty()) {
      call.finish();
      return;
    }
    int atOnce = AT_ONCE * Math.max(1, fleet.all().size());
    new Fanout<>(call, ids.size(), atOnce, index -> work.apply(ids.get(index))).launch();
  }

  private Future<List<String>> select(
      Selected asked, String token, List<String> found, Caller caller) {
    return listing
        .list(asked.page(token), caller)
        .compose(
            page -> {
              page.getSandboxesList().forEach(sandbox -> found.add(sandbox.getSandboxId()));
              requireFew(found.size());
              requireAll(page.getUnreachableNodesList());
              return page.getNextPageToken().isEmpty()
                  ? Future.succeededFuture(found)
                  : select(asked, page.getNextPageToken(), found, caller);
            });
  }

  private static void requireFew(int count) {
    if (count > MOST) {
      throw CallFailed.invalid("sandbox_ids", count + " sandboxes; at most " + MOST + " in a call");
    }
  }

  /** A job that is paused in part is not paused. */
  private static void requireAll(List<String> unreachable) {
    if (!unreachable.isEmpty()) {
      throw new CallFailed(Failure.unreachable(unreachable.getFirst(), RETRY_MILLIS));
    }
  }
}
