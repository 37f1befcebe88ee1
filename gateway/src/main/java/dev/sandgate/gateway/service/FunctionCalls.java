// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.proto.v1.FunctionsGrpcClient;
import dev.sandgate.proto.v1.InvokeBatchItem;
import dev.sandgate.proto.v1.InvokeBatchRequest;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import io.vertx.core.Future;
import java.util.List;

/**
 * Finds a node for each function call. Without an id a node that has no worker free, or cannot be reached at all, is followed
 * by another one. With an id the node depends on the id, so that any gateway asks the one that knows it; only a node that
 * cannot have run it is passed over.
 */
final class FunctionCalls {

  private static final String BACKEND = "fncall";
  private static final int MOST = 4_096;
  private static final int AT_ONCE_PER_NODE = 64;
  private static final long USUAL_WAIT_MILLIS = 30_000;
  private static final long USUAL_COMPILE_MILLIS = 30_000;
  private static final long USUAL_TIMEOUT_MILLIS = 10_000;
  private static final long LONGEST_MILLIS = 86_400_000;
  private static final long GRACE_MILLIS = 60_000;

  private final Fleet fleet;

  FunctionCalls(Fleet fleet) {
    this.fleet = fleet;
  }

  Future<InvokeResponse> invoke(InvokeRequest request, Caller caller) {
    String id = request.getInvocationId();
    List<Fleet.Member> nodes = id.isEmpty() ? fleet.leastBusy(BACKEND) : fleet.byKey(id);
    return nodes.isEmpty()
        ? Future.failedFuture(Fleet.nobodyOffers(BACKEND))
        : new Attempt(request, caller, nodes).on(0);
  }

  void invokeAll(InvokeBatchRequest request, Call<InvokeBatchRequest, InvokeBatchItem> call) {
    int count = request.getItemsCount();
    if (count < 1 || count > MOST) {
      throw CallFailed.invalid("items", count + " is not within 1 to " + MOST);
    }
    new Fanout<InvokeBatchItem>(
            call,
            count,
            AT_ONCE_PER_NODE * Math.max(1, fleet.all().size()),
            index ->
                invoke(request.getItems(index), call)
                    .map(answer -> answered(index, answer))
                    .otherwise(failure -> failed(index, CallFailed.of(failure))))
        .launch();
  }

  private static InvokeBatchItem answered(int index, InvokeResponse answer) {
    return InvokeBatchItem.newBuilder().setIndex(index).setResponse(answer).build();
  }

  private static InvokeBatchItem failed(int index, CallFailed cause) {
    return InvokeBatchItem.newBuilder()
        .setIndex(index)
        .setError(cause.failure().detail())
        .setMessage(cause.failure().message())
        .build();
  }

  /** One call's way from node to node. */
  private record Attempt(InvokeRequest request, Caller caller, List<Fleet.Member> nodes) {

    Future<InvokeResponse> on(int index) {
      Fleet.Member node = nodes.get(index);
      return node.during(
              node.client().ask(FunctionsGrpcClient.Invoke, request, limitMillis(), caller))
          .recover(failure -> next(index + 1, CallFailed.of(failure)));
    }

    private long limitMillis() {
      long cases = Math.max(1, request.getCasesCount());
      long each = or(request.getTimeoutMillis(), USUAL_TIMEOUT_MILLIS);
      long wait = or(request.getAcquireTimeoutMillis(), USUAL_WAIT_MILLIS);
      long compile = or(request.getCompileTimeoutMillis(), USUAL_COMPILE_MILLIS);
      return Math.clamp(compile + cases * (each + wait) + GRACE_MILLIS, 1, LONGEST_MILLIS);
    }

    private static long or(long asked, long usual) {
      return asked <= 0 ? usual : Math.min(asked, LONGEST_MILLIS);
    }

    private Future<InvokeResponse> next(int index, CallFailed refusal) {
      boolean goOn = index < nodes.size() && !caller.gone() && passesOver(refusal);
      return goOn ? on(index) : Future.failedFuture(refusal);
    }

    private boolean passesOver(CallFailed refusal) {
      if (refusal.is(Code.NOT_FOUND) || refusal.is(Code.BACKEND_UNAVAILABLE)) {
        return true;
      }
      boolean free = request.getInvocationId().isEmpty();
      return free && (refusal.is(Code.POOL_EXHAUSTED) || !refusal.sent());
    }
  }
}
