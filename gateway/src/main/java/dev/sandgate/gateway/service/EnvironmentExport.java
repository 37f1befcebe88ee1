// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.service;

import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ExportEnvironmentRequest;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import java.util.Objects;

/** One export, from the first node that has the environment; what comes is passed on as fast as the caller takes it. */
final class EnvironmentExport {

  private final Call<ExportEnvironmentRequest, ExportEnvironmentResponse> call;

  private EnvironmentExport(Call<ExportEnvironmentRequest, ExportEnvironmentResponse> call) {
    this.call = call;
  }

  /** Begins one. */
  static void start(
      Fleet fleet,
      long timeoutMillis,
      ExportEnvironmentRequest request,
      Call<ExportEnvironmentRequest, ExportEnvironmentResponse> call) {
    GetEnvironmentRequest find =
        GetEnvironmentRequest.newBuilder().setReference(request.getReference()).build();
    EnvironmentExport export = new EnvironmentExport(call);
    Fleet.askAll(
            fleet.all(),
            EnvironmentsGrpcClient.Get,
            _ -> find,
            new Fleet.Asking(call, timeoutMillis))
        .map(answers -> EnvironmentCalls.requireSome(answers).getFirst().member())
        .onSuccess(node -> call.execute(() -> export.ask(node, request)))
        .onFailure(failure -> call.execute(() -> call.fail(failure)));
  }

  private void ask(Fleet.Member node, ExportEnvironmentRequest request) {
    node.client()
        .begin(EnvironmentsGrpcClient.Export)
        .onSuccess(begun -> call.execute(() -> begun(node, begun, request)))
        .onFailure(failure -> call.execute(() -> call.fail(failure)));
  }

  private void begun(
      Fleet.Member node,
      GrpcClientRequest<ExportEnvironmentRequest, ExportEnvironmentResponse> begun,
      ExportEnvironmentRequest request) {
    if (call.closed()) {
      begun.cancel();
      return;
    }
    call.onClose(begun::cancel);
    begun.end(request);
    begun
        .response()
        .onSuccess(response -> follow(node, response))
        .onFailure(failure -> call.execute(() -> call.fail(node.client().lost(failure))));
  }

  /** On the response's own event loop, where nothing that comes is missed: it stands still until the caller has taken a part. */
  private void follow(
      Fleet.Member node,
      GrpcClientResponse<ExportEnvironmentRequest, ExportEnvironmentResponse> response) {
    response.handler(
        part -> {
          response.pause();
          Context own = Objects.requireNonNull(Vertx.currentContext());
          call.execute(() -> pass(part, () -> own.runOnContext(_ -> response.resume())));
        });
    node.client()
        .ended(response)
        .onSuccess(_ -> call.execute(call::finish))
        .onFailure(failure -> call.execute(() -> call.fail(failure)));
  }

  private void pass(ExportEnvironmentResponse part, Runnable resume) {
    var _ = call.send(part);
    if (call.writable(resume)) {
      resume.run();
    }
  }
}
