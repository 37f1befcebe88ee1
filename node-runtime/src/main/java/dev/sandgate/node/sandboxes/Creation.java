// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static dev.sandgate.node.checks.Fields.rangeOr;

import dev.sandgate.node.admission.Admission;
import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.faults.FaultPoint;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.latencies.Latencies.Operation;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Claim;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.sandboxes.SpecReader.Wanted;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Makes sandboxes; blocking straight-line code on virtual threads. */
final class Creation {

  private static final long DEFAULT_TIMEOUT = 120_000;
  private static final long MAX_TIMEOUT = 3_600_000;
  private static final int AT_ONCE = 64;

  private final SpecReader reader;
  private final Registry registry;
  private final SandboxRows rows;
  private final Environments environments;
  private final Removal removal;
  private final SandboxId ids;
  private final String nodeId;
  private final Reaper reaper;
  private final Pausing pausing;
  private final Latencies latencies;
  private final Admission admission;
  private final Semaphore places = new Semaphore(AT_ONCE);

  Creation(
      Sandboxes.Parts parts, Registry registry, Removal removal, Reaper reaper, Pausing pausing) {
    this.reader = new SpecReader(parts.backends(), parts.environments(), parts.defaults());
    this.registry = registry;
    this.rows = new SandboxRows(parts.database());
    this.environments = parts.environments();
    this.removal = removal;
    this.ids = new SandboxId(parts.nodeId());
    this.nodeId = parts.nodeId();
    this.reaper = reaper;
    this.pausing = pausing;
    this.latencies = parts.latencies();
    this.admission = parts.admission();
  }

  /** Makes one for a call that arrived then, and returns when it takes commands; after a failure nothing is left of it. */
  Sandbox create(CreateSandboxRequest request, RequestKey key, long begun) {
    long timeout =
        rangeOr("timeout_millis", request.getTimeoutMillis(), 1, MAX_TIMEOUT, DEFAULT_TIMEOUT);
    Wanted wanted = reader.read(request.getSpec());
    PoolWait wait = PoolWait.read(request, wanted.backend());
    String id = ids.assigned(request.getAssignedId());
    long deadline = begun + TimeUnit.MILLISECONDS.toNanos(timeout);
    claim(wanted.limits(), begun);
    try (DiskReserve.Hold _ = room(wanted.limits(), begun)) {
      place(wanted.limits(), deadline);
      try {
        return create(register(wanted, id), key, new Clock(begun, deadline, wait));
      } finally {
        places.release();
      }
    }
  }

  private Sandbox create(LiveSandbox live, RequestKey key, Clock clock) {
    try {
      Sandbox made = make(live, key, clock);
      latencies.done(Operation.CREATE, clock.begun());
      if (environments.endsWithSnapshot(live.stack())) {
        latencies.done(Operation.RESTORE, clock.begun());
      }
      return made;
    } finally {
      live.limits().unused();
    }
  }

  /** Fails for what is wrong with the request itself. */
  void check(CreateSandboxRequest request) {
    rangeOr("timeout_millis", request.getTimeoutMillis(), 1, MAX_TIMEOUT, DEFAULT_TIMEOUT);
    PoolWait.read(request, reader.read(request.getSpec()).backend());
  }

  /** When a creation began and must have ended, in nanoseconds, and how it waits for the pool. */
  private record Clock(long begun, long deadline, PoolWait poolWait) {
    long millisLeft() {
      return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    long microsPassed() {
      return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun);
    }
  }

  private LiveSandbox register(Wanted wanted, String id) {
    LiveSandbox live = added(wanted, id);
    use(live);
    live.limits().used();
    reaper.watch(live);
    return live;
  }

  private LiveSandbox added(Wanted wanted, String id) {
    try {
      LiveSandbox live = fresh(wanted, id);
      registry.add(live);
      return live;
    } catch (RuntimeException e) {
      admission.commitments().free(wanted.limits());
      throw e;
    }
  }

  private void use(LiveSandbox live) {
    try {
      environments.use(live.stack(), live.id());
    } catch (RuntimeException e) {
      registry.forget(live);
      admission.commitments().free(live.secret().getSpec().getLimits());
      throw e;
    }
  }

  private LiveSandbox fresh(Wanted wanted, String id) {
    SandboxSpec spec = wanted.forBackend(id);
    Sandbox.Builder record =
        Sandbox.newBuilder()
            .setSandboxId(id)
            .setSpec(wanted.filled().toBuilder().setHostname(spec.hostname()))
            .setState(SandboxState.SANDBOX_STATE_CREATING)
            .setNodeId(nodeId)
            .setCreatedAt(Times.now())
            .addAllLayerDigests(wanted.stack().digests())
            .setEnvironmentDigest(wanted.stack().environment());
    limit(record);
    return new LiveSandbox(
        wanted.backend(), spec, wanted.stack(), record.build(), registry.nextSequence());
  }

  /** Who finds no room hears so at once, however many are being made. */
  private void claim(Limits limits, long begun) {
    refusing(() -> admission.claim(limits), begun);
  }

  /** Fails at once for a call that finds no room; never blocks. */
  void requireRoom(long arrived) {
    refusing(admission.commitments()::requireRoom, arrived);
  }

  /** Room on the disk until the sandbox has taken it; without it the place is given back. */
  private DiskReserve.Hold room(Limits limits, long begun) {
    try {
      return orRefused(() -> admission.disk().hold(limits.getDiskBytes()), begun);
    } catch (SandgateException none) {
      admission.commitments().free(limits);
      throw none;
    }
  }

  private void refusing(Runnable claim, long begun) {
    long _ =
        orRefused(
            () -> {
              claim.run();
              return begun;
            },
            begun);
  }

  private <T> T orRefused(Supplier<T> claim, long begun) {
    try {
      return claim.get();
    } catch (SandgateException full) {
      latencies.done(Operation.CREATE_REFUSED, begun);
      throw full;
    }
  }

  private static void limit(Sandbox.Builder record) {
    long created = Times.millis(record.getCreatedAt());
    long lifetime = record.getSpec().getLifetimeMillis();
    long lease = record.getSpec().getLeaseMillis();
    if (lifetime > 0) {
      record.setExpiresAt(Times.timestamp(created + lifetime));
    }
    if (lease > 0) {
      record.setLeaseUntil(Times.timestamp(created + lease));
    }
  }

  private Sandbox make(LiveSandbox live, RequestKey key, Clock clock) {
    try {
      CompletableFuture<Void> recorded = rows.insert(live, key);
      waitForBackend(live, clock);
      verify(live);
      long asked = System.nanoTime();
      dev.sandgate.spi.Sandbox made = backendCreate(live, clock);
      latencies.done(Operation.CREATE_IN_BACKEND, asked);
      try {
        recorded.join();
        live.started(pausing.waking(live, made), clock.microsPassed());
        removal.listeners().forEach(listener -> listener.started(live));
      } catch (RuntimeException e) {
        removal.destroy(made);
        throw e;
      }
      FaultPoint.AFTER_CREATE.pass(live.id());
      // Nobody waits for this: one whose record says that it is being made is taken back as well.
      Blocking.report("recording that " + live.id() + " runs", rows.update(live));
      environments.made(live.stack(), live.labels().getOrDefault("job", ""));
      removal.watch(live, made);
      return live.shown();
    } catch (RuntimeException e) {
      SandgateException known =
          live.stopAsked().isDone() ? live.endedWhileMade(e) : Failures.known(e);
      removal.createFailed(live, known);
      throw known;
    }
  }

  private static void waitForBackend(LiveSandbox live, Clock clock) {
    CompletableFuture<Void> adopted = live.backend().adopted();
    if (!adopted.isDone()) {
      Blocking.await(adopted, clock.millisLeft());
    }
    live.backend().requireAvailable();
  }

  /** After the wait for the backend, which is asked what is in a layer. */
  private void verify(LiveSandbox live) {
    environments.integrity().verify(live.stack(), live.backend().backend());
  }

  private dev.sandgate.spi.Sandbox backendCreate(LiveSandbox live, Clock clock) {
    Claim<dev.sandgate.spi.Sandbox> made = new Claim<>(late -> removal.unwanted(live, late));
    clock.poolWait().create(live).subscribe().withSubscriber(made);
    var _ = live.stopAsked().thenRun(made::withdraw);
    try {
      return made.await(clock.millisLeft());
    } finally {
      made.withdraw();
    }
  }

  private void place(Limits limits, long deadline) {
    try {
      if (!places.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        admission.commitments().free(limits);
        throw new SandgateException(
            ErrorCode.RESOURCE_EXHAUSTED, "too many sandboxes are being created; retry later");
      }
    } catch (InterruptedException e) {
      admission.commitments().free(limits);
      Thread.currentThread().interrupt();
      throw new SandgateException(ErrorCode.CANCELLED, "", "the caller gave up", e);
    }
  }
}
