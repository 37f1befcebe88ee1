// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.FunctionsGrpcClient;
import dev.sandgate.proto.v1.InvokeBatchItem;
import dev.sandgate.proto.v1.InvokeBatchRequest;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Function calls: programs that need no sandbox of their own. Nothing happens before a Uni or Multi is subscribed to; methods
 * may be called from any thread and never block.
 */
public final class Functions {

  private static final int MOST_ITEMS = 4_096;
  private static final int MOST_BYTES = 900 << 10;

  private final Calls calls;

  Functions(Calls calls) {
    this.calls = calls;
  }

  /**
   * What came of one call of a batch.
   *
   * @param index which, from 0
   * @param response what it did; absent when that is not known
   * @param failure why there is no response; with NODE_UNREACHABLE or SANDBOX_LOST it may have run
   */
  public record Called(
      int index, Optional<InvokeResponse> response, Optional<SandgateClientException> failure) {}

  /**
   * Runs one program. Cancelling kills it, unless it has an invocation_id.
   *
   * @param request what to run, under an id of the caller's choice or none
   * @return how it ended, also when it failed; fails with INVALID_ARGUMENT, NOT_FOUND, POOL_EXHAUSTED, BACKEND_UNAVAILABLE,
   *     EXEC_FAILED, ALREADY_EXISTS, SANDBOX_LOST
   */
  public Uni<InvokeResponse> invoke(InvokeRequest request) {
    return calls.unary(FunctionsGrpcClient.Invoke, request, Duration.ZERO);
  }

  /**
   * Runs many programs.
   *
   * @param requests any number, each at most 900 KiB
   * @return one item per program as it ends, in no order; fails when the stream ends before every item came
   */
  public Multi<Called> invoke(List<InvokeRequest> requests) {
    int largest = requests.stream().mapToInt(InvokeRequest::getSerializedSize).max().orElse(1);
    int together = Math.clamp(MOST_BYTES / Math.max(1, largest), 1, MOST_ITEMS);
    int parts = (requests.size() + together - 1) / together;
    return Multi.createFrom()
        .range(0, parts)
        .onItem()
        .transformToMultiAndConcatenate(
            part ->
                together(
                    part * together,
                    requests.subList(
                        part * together, Math.min(requests.size(), (part + 1) * together))));
  }

  private Multi<Called> together(int first, List<InvokeRequest> requests) {
    return calls
        .batch(
            FunctionsGrpcClient.InvokeBatch,
            InvokeBatchRequest.newBuilder().addAllItems(requests).build(),
            requests.size())
        .map(item -> called(first + item.getIndex(), item));
  }

  private static Called called(int index, InvokeBatchItem item) {
    return item.hasError()
        ? new Called(
            index,
            Optional.empty(),
            Optional.of(SandgateClientException.of(item.getError(), item.getMessage())))
        : new Called(index, Optional.of(item.getResponse()), Optional.empty());
  }
}
