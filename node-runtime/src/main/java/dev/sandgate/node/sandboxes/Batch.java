// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.spi.SandgateException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One batch: a few creations at a time, each item sent as it is ready. */
final class Batch {

  private static final int AT_ONCE = 8;
  private static final int MAX = 32_768;

  private final Sandboxes sandboxes;
  private final Failures failures;
  private final CreateSandboxBatchRequest request;
  private final Call<CreateSandboxBatchRequest, CreateSandboxBatchItem> call;
  private final int count;
  private final AtomicInteger next = new AtomicInteger();
  private final List<CompletableFuture<Void>> held = new ArrayList<>();
  private int unsent;
  private volatile boolean stopped;

  Batch(
      Sandboxes sandboxes,
      Failures failures,
      CreateSandboxBatchRequest request,
      Call<CreateSandboxBatchRequest, CreateSandboxBatchItem> call) {
    this.sandboxes = sandboxes;
    this.failures = failures;
    this.request = request;
    this.call = call;
    this.count = (int) Fields.range("count", request.getCount(), 1, MAX);
    this.unsent = count;
    sandboxes.check(one(0));
    if (!request.getIdempotencyKey().isEmpty()) {
      Fields.callerId("idempotency_key", request.getIdempotencyKey() + "-" + (count - 1));
    }
  }

  /** Begins; a caller that leaves ends it after the creations under way. */
  void start() {
    call.onDrain(this::goOn);
    call.onClose(
        () -> {
          stopped = true;
          goOn();
        });
    for (int i = 0; i < Math.min(AT_ONCE, count); i++) {
      Blocking.start(this::work).exceptionally(this::broken);
    }
  }

  private boolean work() {
    for (int index = next.getAndIncrement();
        index < count && !stopped;
        index = next.getAndIncrement()) {
      CreateSandboxBatchItem item = item(index);
      CompletableFuture<Void> sent = new CompletableFuture<>();
      call.execute(() -> send(item, sent));
      Blocking.await(sent, Long.MAX_VALUE / 1_000_000);
    }
    return true;
  }

  private CreateSandboxBatchItem item(int index) {
    CreateSandboxBatchItem.Builder item = CreateSandboxBatchItem.newBuilder().setIndex(index);
    try {
      Sandbox made = sandboxes.create(one(index), System.nanoTime());
      return item.setSandbox(made).build();
    } catch (RuntimeException e) {
      SandgateException known = Failures.known(e);
      return item.setError(failures.detail(known)).setMessage(Failures.message(known)).build();
    }
  }

  private CreateSandboxRequest one(int index) {
    CreateSandboxRequest.Builder one =
        CreateSandboxRequest.newBuilder()
            .setSpec(request.getSpec())
            .setTimeoutMillis(request.getTimeoutMillis())
            .setPoolWaitMillis(request.getPoolWaitMillis());
    if (!request.getIdempotencyKey().isEmpty()) {
      one.setIdempotencyKey(request.getIdempotencyKey() + "-" + index);
    }
    return one.build();
  }

  /** Sends an item; its worker goes on when the caller keeps up. */
  private void send(CreateSandboxBatchItem item, CompletableFuture<Void> sent) {
    unsent--;
    if (unsent == 0) {
      call.finish(item);
    } else {
      call.send(item);
    }
    held.add(sent);
    if (call.writable() || call.closed()) {
      goOn();
    }
  }

  private void goOn() {
    held.forEach(sent -> sent.complete(null));
    held.clear();
  }

  private boolean broken(Throwable failure) {
    call.execute(() -> call.fail(failure));
    return false;
  }
}
