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

/**
 * One import, made on every node at once: what the caller sends goes to each as fast as the slowest takes it, and the
 * progress shown is that of the slowest. When one node fails, all are stopped and its failure is the call's.
 */
final class EnvironmentImport {

  private final Call<ImportEnvironmentRequest, ImportProgress> call;
  private final List<GrpcClientRequest<ImportEnvironmentRequest, ImportProgress>> uploads =
      new ArrayList<>();
  private final Map<String, ImportProgress> latest = new TreeMap<>();
  private final Set<String> done = new TreeSet<>();
  private int nodes;

  private EnvironmentImport(Call<ImportEnvironmentRequest, ImportProgress> call) {
    this.call = call;
  }

  /** Begins an import on all nodes. */
  static void start(Fleet fleet, Call<ImportEnvironmentRequest, ImportProgress> call) {
    List<Fleet.Member> nodes = fleet.all();
    if (nodes.isEmpty()) {
      throw EnvironmentCalls.noNodes();
    }
    EnvironmentImport running = new EnvironmentImport(call);
    running.nodes = nodes.size();
    call.pause();
    call.onMessages(running::upload, running::uploaded);
    call.onClose(running::cancel);
    Future.all(nodes.stream().map(running::begin).toList())
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
    boolean full = false;
    for (GrpcClientRequest<ImportEnvironmentRequest, ImportProgress> upload : uploads) {
      upload.write(message);
      full |= upload.writeQueueFull();
    }
    if (full) {
      call.pause();
      uploads.forEach(upload -> upload.drainHandler(_ -> call.execute(this::drained)));
    }
  }

  private void drained() {
    if (uploads.stream().noneMatch(GrpcClientRequest::writeQueueFull)) {
      call.resume();
    }
  }

  private void uploaded() {
    uploads.forEach(GrpcClientRequest::end);
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
    }
  }
}
