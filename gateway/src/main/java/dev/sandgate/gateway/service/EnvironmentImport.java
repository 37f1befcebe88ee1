// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import io.vertx.core.Future;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One import, made on every node at once: what the caller sends goes to each as fast as the slowest takes it, and the
 * progress shown is that of the slowest. When one node fails, all are stopped and its failure is the call's. The first node, the same
 * for every gateway, holds the name meanwhile: the others begin when it does, so imports of one name come to all nodes in one order.
 */
final class EnvironmentImport {

  private static final Logger LOG = LoggerFactory.getLogger(EnvironmentImport.class);

  private final Call<ImportEnvironmentRequest, ImportProgress> call;
  private final List<GrpcClientRequest<ImportEnvironmentRequest, ImportProgress>> uploads =
      new ArrayList<>();
  private final Map<String, ImportProgress> latest = new TreeMap<>();
  private final Set<String> done = new TreeSet<>();
  private final Fleet.Member holder;
  private final List<Fleet.Member> others;
  private final int nodes;
  private @Nullable ImportEnvironmentRequest first;
  private boolean held;
  private boolean begun;
  private boolean uploaded;

  private EnvironmentImport(
      List<Fleet.Member> nodes, Call<ImportEnvironmentRequest, ImportProgress> call) {
    this.call = call;
    holder = nodes.getFirst();
    others = nodes.subList(1, nodes.size());
    this.nodes = nodes.size();
  }

  /** Begins an import on all nodes. */
  static void start(Fleet fleet, Call<ImportEnvironmentRequest, ImportProgress> call) {
    List<Fleet.Member> nodes = fleet.all();
    if (nodes.isEmpty()) {
      throw EnvironmentCalls.noNodes();
    }
    EnvironmentImport running = new EnvironmentImport(nodes, call);
    call.pause();
    call.onMessages(running::upload, running::uploaded);
    call.onClose(running::cancel);
    running
        .begin(running.holder)
        .onSuccess(_ -> call.execute(call::resume))
        .onFailure(failure -> call.execute(() -> call.fail(failure)));
  }

  private Future<Void> begin(Fleet.Member node) {
    return node.client()
        .begin(EnvironmentsGrpcClient.ImportEnvironment)
        .map(
            request -> {
              request.headers().set(Call.CALLER, call.caller());
              call.execute(() -> begun(node, request));
              return null;
            });
  }

  private void begun(
      Fleet.Member node, GrpcClientRequest<ImportEnvironmentRequest, ImportProgress> request) {
    if (call.closed()) {
      request.cancel();
      return;
    }
    uploads.add(request);
    if (first != null) {
      request.write(first);
    }
    request
        .response()
        .onSuccess(response -> call.execute(() -> follow(node, response)))
        .onFailure(failure -> call.execute(() -> failed(node, node.client().lost(failure))));
  }

  private void failed(Fleet.Member node, Throwable cause) {
    CallFailed failure = CallFailed.of(cause);
    call.fail(nodes == 1 ? failure : NodeReport.notImported(failure, node.nodeId(), done));
  }

  private void follow(
      Fleet.Member node, GrpcClientResponse<ImportEnvironmentRequest, ImportProgress> response) {
    response.handler(progress -> call.execute(() -> progressed(node, progress)));
    node.client()
        .ended(response)
        .onSuccess(_ -> call.execute(() -> finished(node)))
        .onFailure(failure -> call.execute(() -> failed(node, failure)));
  }

  private void upload(ImportEnvironmentRequest message) {
    if (first == null) {
      call.pause();
      first = message.toBuilder().clearHold().build();
      uploads.getFirst().write(first.toBuilder().setHold(nodes > 1).build());
      if (nodes == 1) {
        othersBegun();
      }
      return;
    }
    boolean full = false;
    for (GrpcClientRequest<ImportEnvironmentRequest, ImportProgress> upload : uploads) {
      sent(() -> upload.write(message));
      full |= upload.writeQueueFull();
    }
    if (full) {
      call.pause();
      uploads.forEach(upload -> upload.drainHandler(_ -> call.execute(this::drained)));
    }
  }

  private void beginOthers() {
    held = true;
    Future.all(others.stream().map(this::begin).toList())
        .onSuccess(_ -> call.execute(this::othersBegun))
        .onFailure(failure -> call.execute(() -> call.fail(failure)));
  }

  private void othersBegun() {
    begun = true;
    if (uploaded) {
      uploads.forEach(upload -> sent(upload::end));
    } else {
      call.resume();
    }
  }

  /** What a node takes no more of has ended there, or failed, and its answer says so. */
  private static void sent(Runnable sending) {
    try {
      sending.run();
    } catch (IllegalStateException e) {
      LOG.debug("a node takes no more of an import: {}", e.getMessage());
    }
  }

  private void drained() {
    if (uploads.stream().noneMatch(GrpcClientRequest::writeQueueFull)) {
      call.resume();
    }
  }

  private void uploaded() {
    uploaded = true;
    if (begun) {
      uploads.forEach(upload -> sent(upload::end));
    }
  }

  private void progressed(Fleet.Member node, ImportProgress progress) {
    ImportProgress before = latest.put(node.nodeId(), progress);
    boolean slowest =
        latest.values().stream().allMatch(other -> other.getPercent() >= progress.getPercent());
    boolean news =
        before == null
            || !before.getPhase().equals(progress.getPhase())
            || before.getPercent() != progress.getPercent();
    if (slowest && news && !progress.hasEnvironment() && call.writable(() -> {})) {
      call.send(progress);
    }
    if (node.equals(holder) && nodes > 1) {
      holds(progress);
    }
  }

  private void holds(ImportProgress progress) {
    if (!held) {
      beginOthers();
    }
    if (progress.hasEnvironment()) {
      finished(holder);
    }
  }

  private void finished(Fleet.Member node) {
    ImportProgress last = latest.getOrDefault(node.nodeId(), ImportProgress.getDefaultInstance());
    if (!last.hasEnvironment()) {
      failed(
          node,
          node.client().lost(new IllegalStateException("the import ended without an environment")));
      return;
    }
    done.add(node.nodeId());
    if (done.size() == nodes) {
      call.finish(last);
    }
  }

  private void cancel() {
    if (done.size() < nodes) {
      uploads.forEach(GrpcClientRequest::cancel);
    } else if (nodes > 1) {
      uploads.getFirst().cancel();
    }
  }
}
