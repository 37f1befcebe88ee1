// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.proto.v1.Backend;
import dev.sandgate.proto.v1.Finding;
import dev.sandgate.proto.v1.FunctionPool;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.ListNodesResponse;
import dev.sandgate.proto.v1.NodesGrpcService;
import dev.sandgate.proto.v1.SandboxPool;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Functions.PoolCounts;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.SandboxPool.Counts;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The methods of {@code sandgate.v1.Nodes}, for this node alone. */
final class NodesService {

  private static final long PROBE_SECONDS = 30;
  private static final Probe UNANSWERED =
      new Probe(
          List.of(new Probe.Finding("probe", true, false, "it has not answered yet; ask again")));

  private final String nodeId;
  private final Backends backends;
  private final Node.Running running;
  private final Latencies latencies;

  NodesService(String nodeId, Backends backends, Node.Running running, Latencies latencies) {
    this.nodeId = nodeId;
    this.backends = backends;
    this.running = running;
    this.latencies = latencies;
  }

  void route(Routes routes) {
    routes.blocking(NodesGrpcService.List, ListNodesRequest.parser(), _ -> list());
  }

  private ListNodesResponse list() {
    Sandboxes sandboxes = running.sandboxes();
    dev.sandgate.proto.v1.Node.Builder node =
        dev.sandgate.proto.v1.Node.newBuilder()
            .setNodeId(nodeId)
            .setReachable(true)
            .setSandboxes(sandboxes.living())
            .setSandboxesBegun(sandboxes.begun())
            .setSandboxesEnded(sandboxes.begun() - sandboxes.living())
            .setVersion(version())
            .setAdmission(sandboxes.admission().shown())
            .addAllLatencies(latencies.shown());
    running.environments().shared().ifPresent(node::setSharedLayers);
    backends.all().forEach(backend -> node.addBackends(shown(backend)));
    return ListNodesResponse.newBuilder().addNodes(node).build();
  }

  private static Backend shown(OpenBackend open) {
    Probe probe =
        open.probe().copy().completeOnTimeout(UNANSWERED, PROBE_SECONDS, TimeUnit.SECONDS).join();
    Backend.Builder backend =
        Backend.newBuilder()
            .setName(open.name())
            .setIsolation(open.backend().isolation().name())
            .setAvailable(probe.available())
            .setReason(probe.reason());
    open.backend().capabilities().stream()
        .sorted()
        .forEach(capability -> backend.addCapabilities(capability.name()));
    if (open.backend().capabilities().contains(Capability.FUNCTIONS)) {
      backend.setPool(shown(open.backend().functions().counts()));
    }
    open.backend().pool().ifPresent(pool -> backend.setSandboxPool(shown(pool.counts())));
    for (Probe.Finding finding : probe.findings()) {
      backend.addFindings(
          Finding.newBuilder()
              .setSubject(finding.subject())
              .setRequired(finding.required())
              .setAvailable(finding.available())
              .setDetail(finding.detail()));
    }
    return backend.build();
  }

  private static FunctionPool shown(PoolCounts counts) {
    return FunctionPool.newBuilder()
        .setCalls(counts.calls())
        .setWarm(counts.warm())
        .setMade(counts.made())
        .setReused(counts.reused())
        .setDirty(counts.dirty())
        .setExhausted(counts.exhausted())
        .setBusy(counts.busy())
        .setIdle(counts.idle())
        .build();
  }

  private static SandboxPool shown(Counts counts) {
    return SandboxPool.newBuilder()
        .setHits(counts.hits())
        .setMisses(counts.misses())
        .setTimeouts(counts.timeouts())
        .setMade(counts.made())
        .setFailures(counts.failures())
        .setDirty(counts.dirty())
        .setSurplus(counts.surplus())
        .setAvailable(counts.available())
        .setMaking(counts.making())
        .setWanted(counts.wanted())
        .setMemoryBytes(counts.memoryBytes())
        .setActivationP50Micros(counts.activationP50Micros())
        .setActivationP99Micros(counts.activationP99Micros())
        .build();
  }

  private static String version() {
    String version = Node.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }
}
