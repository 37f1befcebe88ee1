// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import io.vertx.core.Future;

/** One batch: a bounded number of creations at a time, spread like single ones, each item sent as it is ready. */
final class BatchCreation {

  private static final int MAX_COUNT = 32_768;
  private static final int AT_ONCE_PER_NODE = 64;
  private static final int MAX_KEY = 64;

  private final Creation creation;
  private final CreateSandboxBatchRequest request;
  private final Call<CreateSandboxBatchRequest, CreateSandboxBatchItem> call;

  private BatchCreation(
      Creation creation,
      CreateSandboxBatchRequest request,
      Call<CreateSandboxBatchRequest, CreateSandboxBatchItem> call) {
    this.creation = creation;
    this.request = request;
    this.call = call;
  }

  /** Begins a batch on so many nodes. */
  static void start(
      Creation creation,
      int nodes,
      CreateSandboxBatchRequest request,
      Call<CreateSandboxBatchRequest, CreateSandboxBatchItem> call) {
    int count = request.getCount();
    if (count < 1 || count > MAX_COUNT) {
      throw CallFailed.invalid("count", count + " is not within 1 to " + MAX_COUNT);
    }
    String last = request.getIdempotencyKey() + "-" + (count - 1);
    if (!request.getIdempotencyKey().isEmpty() && last.length() > MAX_KEY) {
      throw CallFailed.invalid(
          "idempotency_key",
          "with '-<index>' behind it, it is longer than " + MAX_KEY + " characters");
    }
    BatchCreation batch = new BatchCreation(creation, request, call);
    new Fanout<>(call, count, AT_ONCE_PER_NODE * Math.max(1, nodes), batch::item).launch();
  }

  private Future<CreateSandboxBatchItem> item(int index) {
    return creation
        .create(one(index), call)
        .map(sandbox -> made(index, sandbox))
        .otherwise(failure -> failed(index, CallFailed.of(failure)));
  }

  private CreateSandboxRequest one(int index) {
    String key = request.getIdempotencyKey();
    return CreateSandboxRequest.newBuilder()
        .setSpec(request.getSpec())
        .setTimeoutMillis(request.getTimeoutMillis())
        .setPoolWaitMillis(request.getPoolWaitMillis())
        .setIdempotencyKey(key.isEmpty() ? "" : key + "-" + index)
        .build();
  }

  private static CreateSandboxBatchItem made(int index, Sandbox sandbox) {
    return CreateSandboxBatchItem.newBuilder().setIndex(index).setSandbox(sandbox).build();
  }

  private static CreateSandboxBatchItem failed(int index, CallFailed cause) {
    return CreateSandboxBatchItem.newBuilder()
        .setIndex(index)
        .setError(cause.failure().detail())
        .setMessage(cause.failure().message())
        .build();
  }
}
