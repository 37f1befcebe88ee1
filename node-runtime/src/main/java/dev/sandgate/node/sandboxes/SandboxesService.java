// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.proto.v1.CreateSandboxBatchRequest;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxRequest;
import dev.sandgate.proto.v1.DeleteSandboxResponse;
import dev.sandgate.proto.v1.GetSandboxRequest;
import dev.sandgate.proto.v1.ListSandboxesRequest;
import dev.sandgate.proto.v1.PauseSandboxRequest;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import dev.sandgate.proto.v1.RenewSandboxRequest;
import dev.sandgate.proto.v1.RenewSandboxResponse;
import dev.sandgate.proto.v1.ResetSandboxRequest;
import dev.sandgate.proto.v1.ResumeSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxUsage;
import dev.sandgate.proto.v1.SandboxesGrpcService;
import dev.sandgate.spi.Reclaimed;
import io.smallrye.mutiny.Uni;
import java.util.Optional;

/** The methods of {@code sandgate.v1.Sandboxes}. */
final class SandboxesService {

  private static final long SETTLE_MILLIS = 16_000;

  private final Sandboxes sandboxes;
  private final Failures failures;

  SandboxesService(Sandboxes sandboxes, Failures failures) {
    this.sandboxes = sandboxes;
    this.failures = failures;
  }

  void route(Routes routes) {
    routes.unary(SandboxesGrpcService.Create, CreateSandboxRequest.parser(), this::create);
    routes.answers(
        SandboxesGrpcService.CreateBatch,
        CreateSandboxBatchRequest.parser(),
        (request, call) -> new Batch(sandboxes, failures, request, call).start());
    routes.blocking(SandboxesGrpcService.Get, GetSandboxRequest.parser(), this::get);
    routes.blocking(
        SandboxesGrpcService.List,
        ListSandboxesRequest.parser(),
        request -> Listing.of(request).page(sandboxes.registry()));
    routes.blocking(SandboxesGrpcService.Delete, DeleteSandboxRequest.parser(), this::delete);
    routes.blocking(SandboxesGrpcService.Renew, RenewSandboxRequest.parser(), this::renew);
    routes.blocking(
        SandboxesGrpcService.Reset,
        ResetSandboxRequest.parser(),
        request -> sandboxes.reset(request.getSandboxId()).shown());
    routes.blocking(SandboxesGrpcService.Pause, PauseSandboxRequest.parser(), this::pause);
    routes.blocking(
        SandboxesGrpcService.Resume,
        ResumeSandboxRequest.parser(),
        request -> sandboxes.resume(request.getSandboxId()).shown());
    routes.use(sandboxes::use);
  }

  private Uni<Sandbox> create(CreateSandboxRequest request) {
    long arrived = System.nanoTime();
    sandboxes.requireRoom(request, arrived);
    return Blocking.call(() -> sandboxes.create(request, arrived));
  }

  private DeleteSandboxResponse delete(DeleteSandboxRequest request) {
    boolean existed = sandboxes.delete(request.getSandboxId());
    return DeleteSandboxResponse.newBuilder().setExisted(existed).build();
  }

  private RenewSandboxResponse renew(RenewSandboxRequest request) {
    Sandbox kept = sandboxes.renew(request.getSandboxId(), request.getLeaseMillis()).shown();
    RenewSandboxResponse.Builder answer = RenewSandboxResponse.newBuilder();
    if (kept.hasLeaseUntil()) {
      answer.setLeaseUntil(kept.getLeaseUntil());
    }
    if (kept.hasExpiresAt()) {
      answer.setExpiresAt(kept.getExpiresAt());
    }
    return answer.build();
  }

  private PauseSandboxResponse pause(PauseSandboxRequest request) {
    LiveSandbox live = sandboxes.find(request.getSandboxId());
    Reclaimed reclaimed = sandboxes.pause(live);
    return PauseSandboxResponse.newBuilder()
        .setSandbox(live.shown())
        .setMemoryBeforeBytes(reclaimed.bytesBefore())
        .setMemoryAfterBytes(reclaimed.bytesAfter())
        .build();
  }

  private Sandbox get(GetSandboxRequest request) {
    LiveSandbox live = sandboxes.find(request.getSandboxId());
    Blocking.await(sandboxes.settled(live), SETTLE_MILLIS);
    Optional<SandboxUsage> usage = live.isRunning() ? CurrentUsage.of(live) : Optional.empty();
    return CurrentUsage.shown(live.shown(), usage);
  }
}
