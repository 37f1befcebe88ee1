// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import com.google.protobuf.Timestamp;
import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;
import dev.sandgate.proto.v1.Backend;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxResponse;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.EnvironmentsGrpcService;
import dev.sandgate.proto.v1.GetEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportProgress;
import dev.sandgate.proto.v1.ListEnvironmentsResponse;
import dev.sandgate.proto.v1.ListNodesResponse;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.ListSandboxesResponse;
import dev.sandgate.proto.v1.ListTrajectoryRequest;
import dev.sandgate.proto.v1.Node;
import dev.sandgate.proto.v1.NodesGrpcService;
import dev.sandgate.proto.v1.PauseSandboxRequest;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import dev.sandgate.proto.v1.RemoveEnvironmentResponse;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxesGrpcService;
import dev.sandgate.proto.v1.TrajectoriesGrpcService;
import dev.sandgate.proto.v1.TrajectoryEntry;
import dev.sandgate.proto.v1.TrajectoryPage;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What a node answers beside commands: it keeps records of sandboxes and environments and makes neither. */
public final class FakeServices {

  private static final AtomicLong CLOCK = new AtomicLong(1_000);

  /** The sandboxes, oldest first. */
  public final List<Sandbox> sandboxes = new CopyOnWriteArrayList<>();

  /** Environments by name, with the bytes that were uploaded for each. */
  public final Map<String, Long> environments = new ConcurrentHashMap<>();

  /** What it recorded of commands, by revision. */
  public final List<TrajectoryEntry> trajectory = new CopyOnWriteArrayList<>();

  /** How many sandboxes it takes. */
  public volatile int capacity = Integer.MAX_VALUE;

  /** The one backend it has. */
  public volatile String backend = "container";

  /** With which imports fail once their progress is shown; empty for none. */
  public volatile String refusal = "";

  /** Creations under way now, and the most at once; they do not end while held. */
  public volatile boolean held;

  public final AtomicInteger asked = new AtomicInteger();
  public final AtomicInteger cancelled = new AtomicInteger();

  private final String nodeId;
  private final Map<String, Sandbox> byKey = new ConcurrentHashMap<>();

  private FakeServices(String nodeId) {
    this.nodeId = nodeId;
  }

  /** Adds them to a node. */
  public static FakeServices on(TestNode node) {
    FakeServices services = new FakeServices(node.address().nodeId());
    node.grpc().callHandler(SandboxesGrpcService.Create, services::create);
    node.grpc()
        .callHandler(
            SandboxesGrpcService.List,
            request -> request.handler(message -> services.list(message, request.response())));
    node.grpc()
        .callHandler(
            SandboxesGrpcService.Delete,
            request ->
                request.handler(
                    message ->
                        request
                            .response()
                            .end(
                                DeleteSandboxResponse.newBuilder()
                                    .setExisted(services.delete(message.getSandboxId()))
                                    .build())));
    services.pauses(node);
    node.grpc()
        .callHandler(
            NodesGrpcService.List,
            request -> request.handler(_ -> request.response().end(services.node())));
    node.grpc().callHandler(EnvironmentsGrpcService.ImportEnvironment, services::importEnvironment);
    node.grpc()
        .callHandler(
            EnvironmentsGrpcService.List,
            request -> request.handler(_ -> request.response().end(services.environments())));
    node.grpc()
        .callHandler(
            EnvironmentsGrpcService.Get,
            request -> request.handler(message -> services.get(message, request.response())));
    node.grpc()
        .callHandler(
            EnvironmentsGrpcService.Remove,
            request ->
                request.handler(
                    message -> services.remove(message.getReference(), request.response())));
    node.grpc()
        .callHandler(
            TrajectoriesGrpcService.List,
            request ->
                request.handler(message -> request.response().end(services.trajectory(message))));
    return services;
  }

  private TrajectoryPage trajectory(ListTrajectoryRequest request) {
    long after = request.getAfter().isEmpty() ? 0 : Long.parseLong(request.getAfter());
    List<TrajectoryEntry> entries =
        trajectory.stream()
            .filter(entry -> entry.getRevision() > after)
            .limit(request.getPageSize())
            .toList();
    long last = entries.isEmpty() ? after : entries.getLast().getRevision();
    return TrajectoryPage.newBuilder()
        .addAllEntries(entries)
        .setCursor(Long.toString(last))
        .build();
  }

  private boolean delete(String id) {
    return sandboxes.removeIf(sandbox -> sandbox.getSandboxId().equals(id));
  }

  private void create(GrpcServerRequest<CreateSandboxRequest, Sandbox> request) {
    asked.incrementAndGet();
    TestNode.onReset(request, cancelled);
    request.handler(
        message -> {
          GrpcServerResponse<CreateSandboxRequest, Sandbox> response = request.response();
          String wanted =
              message.getSpec().getBackend().isEmpty()
                  ? "container"
                  : message.getSpec().getBackend();
          if (held) {
            return;
          }
          if (!wanted.equals(backend)) {
            fail(
                response,
                Failure.of(Code.BACKEND_UNAVAILABLE, "no such backend here").node(nodeId));
          } else if (sandboxes.size() >= capacity) {
            fail(response, Failure.of(Code.RESOURCE_EXHAUSTED, "full").node(nodeId));
          } else {
            response.end(made(message));
          }
        });
  }

  private Sandbox made(CreateSandboxRequest message) {
    String key = message.getIdempotencyKey();
    Sandbox before = byKey.get(key);
    if (before != null) {
      return before;
    }
    long now = CLOCK.incrementAndGet();
    Sandbox sandbox =
        Sandbox.newBuilder()
            .setSandboxId(message.getAssignedId())
            .setNodeId(nodeId)
            .setSpec(message.getSpec())
            .setCreatedAt(Timestamp.newBuilder().setSeconds(now))
            .build();
    sandboxes.add(sandbox);
    if (!key.isEmpty()) {
      byKey.put(key, sandbox);
    }
    return sandbox;
  }

  private void pauses(TestNode node) {
    node.grpc()
        .callHandler(
            SandboxesGrpcService.Pause,
            request -> request.handler(message -> pause(message, request.response())));
    node.grpc()
        .callHandler(
            SandboxesGrpcService.Resume,
            request ->
                request.handler(
                    message ->
                        request
                            .response()
                            .end(
                                Sandbox.newBuilder()
                                    .setSandboxId(message.getSandboxId())
                                    .build())));
  }

  private void pause(
      PauseSandboxRequest request,
      GrpcServerResponse<PauseSandboxRequest, PauseSandboxResponse> response) {
    sandboxes.stream()
        .filter(one -> one.getSandboxId().equals(request.getSandboxId()))
        .findFirst()
        .ifPresentOrElse(
            one -> response.end(PauseSandboxResponse.newBuilder().setSandbox(one).build()),
            () -> fail(response, Failure.of(Code.NOT_FOUND, "no such sandbox")));
  }

  private static void fail(GrpcServerResponse<?, ?> response, Failure failure) {
    response.status(failure.status()).statusMessage(failure.message());
    response.trailers().set("grpc-status-details-bin", failure.details());
    response.end();
  }

  private void list(
      ListSandboxesRequest request,
      GrpcServerResponse<ListSandboxesRequest, ListSandboxesResponse> response) {
    ListSandboxesResponse.Builder page = ListSandboxesResponse.newBuilder();
    int from =
        request.getPageToken().isEmpty()
            ? sandboxes.size()
            : Integer.parseInt(request.getPageToken());
    int to = Math.max(0, from - request.getPageSize());
    for (int i = from - 1; i >= to; i--) {
      page.addSandboxes(sandboxes.get(i));
    }
    response.end(page.setNextPageToken(to > 0 ? Integer.toString(to) : "").build());
  }

  private ListNodesResponse node() {
    return ListNodesResponse.newBuilder()
        .addNodes(
            Node.newBuilder()
                .setNodeId(nodeId)
                .setReachable(true)
                .setSandboxes(sandboxes.size())
                .addBackends(Backend.newBuilder().setName(backend).setAvailable(true)))
        .build();
  }

  private void importEnvironment(
      GrpcServerRequest<ImportEnvironmentRequest, ImportProgress> request) {
    var seen =
        new Object() {
          String name = "";
          long bytes;
        };
    request.handler(
        message -> {
          if (seen.name.isEmpty()) {
            seen.name = message.getName();
            request
                .response()
                .write(ImportProgress.newBuilder().setPhase("reading").setPercent(1).build());
          }
          seen.bytes += message.getData().size();
        });
    request.endHandler(
        _ -> {
          if (!refusal.isEmpty()) {
            fail(request.response(), Failure.of(Code.INVALID_ARGUMENT, refusal).field("data"));
            return;
          }
          environments.put(seen.name, seen.bytes);
          request
              .response()
              .end(
                  ImportProgress.newBuilder()
                      .setPhase("done")
                      .setPercent(100)
                      .setEnvironment(environment(seen.name))
                      .build());
        });
  }

  private Environment environment(String name) {
    return Environment.newBuilder()
        .setName(name)
        .setTag("latest")
        .setDigest("sha256:" + name)
        .setSandboxes(2)
        .build();
  }

  private ListEnvironmentsResponse environments() {
    ListEnvironmentsResponse.Builder all = ListEnvironmentsResponse.newBuilder();
    environments.keySet().forEach(name -> all.addEnvironments(environment(name)));
    return all.build();
  }

  private void get(
      GetEnvironmentRequest request,
      GrpcServerResponse<GetEnvironmentRequest, Environment> response) {
    if (environments.containsKey(request.getReference())) {
      response.end(environment(request.getReference()));
    } else {
      fail(response, Failure.of(Code.NOT_FOUND, "no such environment").field("reference"));
    }
  }

  private void remove(String name, GrpcServerResponse<?, RemoveEnvironmentResponse> response) {
    if (environments.remove(name) == null) {
      fail(response, Failure.of(Code.NOT_FOUND, "no such environment").field("reference"));
    } else {
      response.end(RemoveEnvironmentResponse.getDefaultInstance());
    }
  }
}
