// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.functions;

import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.latencies.Latencies.Operation;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.FunctionsGrpcService;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.Optional;
import java.util.UUID;

/** The methods of {@code sandgate.v1.Functions} that a node answers. */
public final class FunctionCalls {

  private final String nodeId;
  private final Backends backends;
  private final Environments environments;
  private final Latencies latencies;
  private final Invocations invocations = new Invocations();

  /**
   * Answers with what there is on this node.
   *
   * @param nodeId the node's name
   * @param backends one of which serves calls
   * @param environments where their root file systems are
   * @param latencies that are kept
   */
  public FunctionCalls(
      String nodeId, Backends backends, Environments environments, Latencies latencies) {
    this.nodeId = nodeId;
    this.backends = backends;
    this.environments = environments;
    this.latencies = latencies;
  }

  /** Adds its methods. */
  public void route(Routes routes) {
    routes.unary(FunctionsGrpcService.Invoke, InvokeRequest.parser(), this::invoke);
  }

  private Uni<InvokeResponse> invoke(InvokeRequest request) {
    if (request.getInvocationId().isEmpty()) {
      return run(request);
    }
    Fields.callerId("invocation_id", request.getInvocationId());
    return invocations.once(request, () -> run(request));
  }

  private Uni<InvokeResponse> run(InvokeRequest request) {
    long begun = System.nanoTime();
    return Blocking.call(() -> ready(request))
        .onItem()
        .transformToUni(
            ready ->
                ready
                    .backend()
                    .backend()
                    .functions()
                    .call(CallReader.read(request, ready.stack()))
                    .onTermination()
                    .invoke(() -> environments.unuse(ready.stack(), ready.id())))
        .map(
            result -> {
              latencies.done(Operation.FUNCTION_CALL, begun);
              return Answers.shown(request.getInvocationId(), nodeId, result);
            });
  }

  /** A call whose layers are there, and stay until it has ended. */
  private record Ready(OpenBackend backend, Stack stack, String id) {}

  private Ready ready(InvokeRequest request) {
    CallReader.check(request);
    OpenBackend backend = backend();
    backend.requireAvailable();
    backend.adopted().join();
    Stack stack =
        environments.resolve(
            request.getEnvironment(), request.getLayersList(), request.getJob(), false);
    environments.integrity().verify(stack, lister(backend).backend());
    String id = "call-" + UUID.randomUUID();
    environments.use(stack, id);
    return new Ready(backend, stack, id);
  }

  private OpenBackend backend() {
    return having(Capability.FUNCTIONS)
        .orElseThrow(
            () ->
                new SandgateException(
                    ErrorCode.BACKEND_UNAVAILABLE, "no backend of this node serves calls"));
  }

  /** Who can tell what is in a layer. */
  private OpenBackend lister(OpenBackend otherwise) {
    return having(Capability.DISK_SNAPSHOT).orElse(otherwise);
  }

  private Optional<OpenBackend> having(Capability capability) {
    return backends.all().stream()
        .filter(open -> open.backend().capabilities().contains(capability))
        .findFirst();
  }
}
