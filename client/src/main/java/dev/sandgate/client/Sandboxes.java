// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.CreateSandboxBatchItem;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxResponse;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.PauseSandboxRequest;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import dev.sandgate.proto.v1.RenewSandboxRequest;
import dev.sandgate.proto.v1.RenewSandboxResponse;
import dev.sandgate.proto.v1.ResetSandboxRequest;
import dev.sandgate.proto.v1.ResumeSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxesGrpcClient;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes, shows and removes sandboxes. Nothing happens before a Uni or Multi is subscribed to; methods may be called
 * from any thread and never block. Failures are SandgateClientException.
 */
public final class Sandboxes {

  private static final int PAGE = 1_000;
  private static final Duration PAUSE_LIMIT = Duration.ofMinutes(7);
  private static final Duration CREATE_LIMIT = Duration.ofMinutes(2);
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final Calls calls;
  private final Duration reconnect;

  Sandboxes(Calls calls, Duration reconnect) {
    this.calls = calls;
    this.reconnect = reconnect;
  }

  /**
   * Makes a sandbox.
   *
   * @param spec what it is to be
   * @return its handle, once it takes commands; fails with INVALID_ARGUMENT naming the field, NOT_FOUND for the
   *     environment, BACKEND_UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED. When the answer is lost the sandbox
   *     may exist: give the request an idempotency key to find out
   */
  public Uni<SandboxHandle> create(SandboxSpec spec) {
    return create(CreateSandboxRequest.newBuilder().setSpec(spec).build());
  }

  /**
   * Makes a sandbox, with an idempotency key or a time limit.
   *
   * @param request the whole request
   * @return as {@link #create(SandboxSpec)}
   */
  public Uni<SandboxHandle> create(CreateSandboxRequest request) {
    return calls
        .unary(SandboxesGrpcClient.Create, request, limit(request.getTimeoutMillis()))
        .map(this::handle);
  }

  private static Duration limit(long timeoutMillis) {
    return GRACE.plus(timeoutMillis > 0 ? Duration.ofMillis(timeoutMillis) : CREATE_LIMIT);
  }

  /**
   * Makes many sandboxes of one kind with one call.
   *
   * @param request what, how many
   * @return one item per sandbox as it is ready or failed; fails when the stream ends before every item came.
   *     Cancelling stops the making; what was made stays
   */
  public Multi<BatchItem> createBatch(CreateSandboxBatchRequest request) {
    return calls
        .batch(SandboxesGrpcClient.CreateBatch, request, request.getCount())
        .map(this::item);
  }

  private BatchItem item(CreateSandboxBatchItem item) {
    return switch (item.getResultCase()) {
      case SANDBOX -> new BatchItem.Created(item.getIndex(), handle(item.getSandbox()));
      case ERROR ->
          new BatchItem.Failed(
              item.getIndex(), SandgateClientException.of(item.getError(), item.getMessage()));
      case RESULT_NOT_SET ->
          new BatchItem.Failed(
              item.getIndex(), SandgateClientException.internal("an item without a result"));
    };
  }

  /**
   * A handle on a sandbox that is known by its id; no call is made.
   *
   * @param sandboxId the id
   * @return its handle
   */
  public SandboxHandle handle(String sandboxId) {
    return handle(Sandbox.newBuilder().setSandboxId(sandboxId).build());
  }

  private SandboxHandle handle(Sandbox sandbox) {
    return new SandboxHandle(calls, reconnect, sandbox);
  }

  /**
   * Shows a sandbox.
   *
   * @param sandboxId its id
   * @return as its node sees it, usage included; fails with NOT_FOUND
   */
  public Uni<Sandbox> get(String sandboxId) {
    return calls.unary(
        SandboxesGrpcClient.Get, GetSandboxRequest.newBuilder().setSandboxId(sandboxId).build());
  }

  /**
   * Lists sandboxes, newest first.
   *
   * @param filter labels and states to match; its paging fields are set by this method
   * @return pages as they are asked for, so that unreachable nodes are seen
   */
  public Multi<ListSandboxesResponse> pages(ListSandboxesRequest filter) {
    return Multi.createBy()
        .repeating()
        .uni(() -> new AtomicReference<>(""), token -> page(filter, token))
        .whilst(page -> !page.getNextPageToken().isEmpty());
  }

  /**
   * Lists sandboxes, newest first.
   *
   * @param filter labels and states to match; its paging fields are set by this method
   * @return the sandboxes, page by page as they are asked for
   */
  public Multi<Sandbox> list(ListSandboxesRequest filter) {
    return pages(filter).onItem().transformToIterable(ListSandboxesResponse::getSandboxesList);
  }

  private Uni<ListSandboxesResponse> page(
      ListSandboxesRequest filter, AtomicReference<String> token) {
    ListSandboxesRequest request =
        filter.toBuilder().setPageSize(PAGE).setPageToken(token.get()).build();
    return calls
        .unary(SandboxesGrpcClient.List, request)
        .invoke(page -> token.set(page.getNextPageToken()));
  }

  /**
   * Lets a sandbox's lease run anew from now.
   *
   * @param sandboxId its id
   * @param lease for how long, up to 7 days; zero for as long as its spec says
   * @return until when it lives; fails with NOT_FOUND, or LEASE_EXPIRED when it came too late
   */
  public Uni<RenewSandboxResponse> renew(String sandboxId, Duration lease) {
    RenewSandboxRequest request =
        RenewSandboxRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setLeaseMillis(lease.toMillis())
            .build();
    return calls.unary(SandboxesGrpcClient.Renew, request);
  }

  /**
   * Returns a sandbox to its environment's state in place: id, labels, limits and lease stay, commands and sessions end.
   * Cancelling may leave it done.
   *
   * @param sandboxId its id
   * @return the sandbox, once it takes commands again; fails with NOT_FOUND, FAILED_PRECONDITION, UNSUPPORTED
   */
  public Uni<Sandbox> reset(String sandboxId) {
    ResetSandboxRequest request = ResetSandboxRequest.newBuilder().setSandboxId(sandboxId).build();
    return calls.unary(SandboxesGrpcClient.Reset, request, CREATE_LIMIT);
  }

  /**
   * Lets a sandbox stand still and gives its memory to the host's swap. What needs something that runs inside wakes it.
   * Cancelling may leave it done.
   *
   * @param sandboxId its id
   * @return the sandbox and what its memory was before and after; fails with NOT_FOUND, FAILED_PRECONDITION, UNSUPPORTED
   */
  public Uni<PauseSandboxResponse> pause(String sandboxId) {
    PauseSandboxRequest request = PauseSandboxRequest.newBuilder().setSandboxId(sandboxId).build();
    return calls.unary(SandboxesGrpcClient.Pause, request, PAUSE_LIMIT);
  }

  /**
   * Lets a paused sandbox go on.
   *
   * @param sandboxId its id
   * @return the sandbox, once it does; fails with NOT_FOUND, FAILED_PRECONDITION
   */
  public Uni<Sandbox> resume(String sandboxId) {
    ResumeSandboxRequest request =
        ResumeSandboxRequest.newBuilder().setSandboxId(sandboxId).build();
    return calls.unary(SandboxesGrpcClient.Resume, request);
  }

  /**
   * Kills everything in a sandbox and removes it.
   *
   * @param sandboxId its id
   * @return whether it was there, once nothing is left; idempotent
   */
  public Uni<Boolean> delete(String sandboxId) {
    DeleteSandboxRequest request =
        DeleteSandboxRequest.newBuilder().setSandboxId(sandboxId).build();
    return calls
        .unary(SandboxesGrpcClient.Delete, request, CREATE_LIMIT)
        .map(DeleteSandboxResponse::getExisted);
  }
}
