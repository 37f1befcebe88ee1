// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.admission.Admission;
import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.config.Defaults;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.latencies.Latencies.Operation;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Reclaimed;
import dev.sandgate.spi.SandgateException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The sandboxes of this node. */
public final class Sandboxes {

  private static final long ADOPTION_WAIT_MILLIS = 15_000;
  private static final long WRITE_MILLIS = 10_000;
  private static final long RESUME_MILLIS = 20_000;

  private final Registry registry;
  private final SandboxRows rows;
  private final Keys keys = new Keys();
  private final Removal removal;
  private final Reset reset;
  private final Pausing pausing;
  private final Creation creation;
  private final Adoption adoption;
  private final Sweep sweep;
  private final Reaper reaper;
  private final Latencies latencies;
  private final Admission admission;

  /**
   * What sandboxes stand on.
   *
   * @param nodeId part of every id
   * @param backends who makes them
   * @param environments what they are made of
   * @param database where they are recorded
   * @param defaults of requests that leave fields out
   * @param capacity how many, how long
   * @param latencies where it is told how long it took to make them
   * @param admission whether there is room for another
   */
  public record Parts(
      String nodeId,
      Backends backends,
      Environments environments,
      Database database,
      Defaults defaults,
      Capacity capacity,
      Latencies latencies,
      Admission admission) {}

  /** Reads what an earlier run recorded; blocks. */
  public Sandboxes(Parts parts) {
    latencies = parts.latencies();
    admission = parts.admission();
    registry = new Registry(parts.admission().commitments());
    rows = new SandboxRows(parts.database());
    removal = new Removal(registry, rows, parts.environments());
    pausing = new Pausing(rows, latencies);
    reset = new Reset(removal, rows, pausing);
    reaper = new Reaper(this::expire, this::rest);
    creation = new Creation(parts, registry, removal, reaper, pausing);
    adoption = new Adoption(parts, registry, removal, reaper, pausing);
    sweep = new Sweep(registry, reaper, this::forget, parts.capacity().retention());
    adoption.load(rows, keys);
  }

  /** Answers the methods of {@code sandgate.v1.Sandboxes}. */
  public void route(Routes routes, Failures failures) {
    new SandboxesService(this, failures).route(routes);
  }

  /** Tells about sandboxes' ends and returns. */
  public void listen(SandboxListener listener) {
    removal.listen(listener);
  }

  /** Takes back what survived a restart; completes when every backend has answered. */
  public CompletableFuture<Void> adopt() {
    return adoption.start();
  }

  /** Ends what has lived long enough and forgets what ended long ago; called about once a second, blocks. */
  public void sweep() {
    sweep.run(System.currentTimeMillis());
  }

  /** From here on nothing that ends is recorded: sandboxes stay for the next start. */
  public void close() {
    reaper.close();
    removal.close();
  }

  /**
   * A call for a sandbox begins: it is in use.
   *
   * @return to be run when the call is over
   */
  public Runnable use(String sandboxId) {
    LiveSandbox live = registry.find(sandboxId);
    if (live == null) {
      return () -> {};
    }
    live.limits().used();
    return live.limits()::unused;
  }

  /** One by id. NOT_FOUND. */
  public LiveSandbox find(String id) {
    LiveSandbox live = registry.find(Fields.sandboxId("sandbox_id", id));
    if (live == null) {
      throw new SandgateException(
          ErrorCode.NOT_FOUND, "sandbox_id", "sandbox " + id + " is not on this node", null);
    }
    return live;
  }

  /**
   * Completes when it is known whether a sandbox survived a restart of the node, at once if there was none;
   * fails after 15 s.
   */
  public CompletableFuture<LiveSandbox> settled(LiveSandbox live) {
    if (!live.adopting()) {
      return CompletableFuture.completedFuture(live);
    }
    return live.usable()
        .copy()
        .orTimeout(ADOPTION_WAIT_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS);
  }

  /** Every one that is known, living and ended, newest first. */
  public Collection<LiveSandbox> all() {
    return registry.newestFirst().values();
  }

  /** Those that ended and are not forgotten. */
  public List<LiveSandbox> ended() {
    return registry.newestFirst().values().stream()
        .filter(live -> Lifecycle.ended(live.state()))
        .toList();
  }

  /** Whether there is room for another. */
  public Admission admission() {
    return admission;
  }

  /** How many live. */
  public int living() {
    return registry.living();
  }

  /** How many were begun since the node started, those from before it included. */
  public long begun() {
    return registry.begun();
  }

  Registry registry() {
    return registry;
  }

  /** Fails as {@link #create} would for what is wrong with the request itself. */
  void check(CreateSandboxRequest request) {
    creation.check(request);
  }

  /** Refuses a create at once that would find no room; a repeated one may find its sandbox. Never blocks. */
  void requireRoom(CreateSandboxRequest request, long arrivedNanos) {
    if (request.getIdempotencyKey().isEmpty()) {
      creation.requireRoom(arrivedNanos);
    }
  }

  Sandbox create(CreateSandboxRequest request, long arrivedNanos) {
    RequestKey key = RequestKey.of(request.getIdempotencyKey(), request.getSpec());
    if (!key.present()) {
      return creation.create(request, key, arrivedNanos);
    }
    return keys.once(
        key, () -> creation.create(request, key, arrivedNanos), id -> known(id).shown());
  }

  /** One of which it is known whether it survived a restart of the node; blocks. */
  private LiveSandbox known(String id) {
    LiveSandbox live = find(id);
    Blocking.await(settled(live), ADOPTION_WAIT_MILLIS + 1_000);
    return live;
  }

  boolean delete(String id) {
    LiveSandbox live = registry.find(Fields.sandboxId("sandbox_id", id));
    if (live == null) {
      return false;
    }
    Blocking.await(settled(live), ADOPTION_WAIT_MILLIS + 1_000);
    return removal.remove(live, "DELETED", "");
  }

  LiveSandbox renew(String id, long leaseMillis) {
    LiveSandbox live = known(id);
    long usual = live.secret().getSpec().getLeaseMillis();
    live.renew(SpecReader.time("lease_millis", leaseMillis, Duration.ofMillis(usual)));
    Blocking.await(rows.update(live), WRITE_MILLIS);
    return live;
  }

  LiveSandbox reset(String id) {
    LiveSandbox live = known(id);
    long begun = System.nanoTime();
    reset.run(live);
    latencies.done(Operation.RESET, begun);
    return live;
  }

  Reclaimed pause(LiveSandbox live) {
    Blocking.await(settled(live), ADOPTION_WAIT_MILLIS + 1_000);
    return pausing.pause(live);
  }

  LiveSandbox resume(String id) {
    LiveSandbox live = known(id);
    live.running(Capability.PAUSE);
    Blocking.await(pausing.resumed(live).copy(), RESUME_MILLIS);
    return live;
  }

  private void expire(LiveSandbox live, TimeLimits.Limit limit) {
    Blocking.background(
        "ending " + live.id(), () -> removal.remove(live, limit.name(), limit.detail()));
  }

  private void rest(LiveSandbox live) {
    Blocking.background("pausing " + live.id(), () -> pausing.rest(live));
  }

  private void forget(LiveSandbox live) {
    registry.forget(live);
    keys.forget(live.id());
    removal.listeners().forEach(listener -> listener.forgotten(live));
    List<Database.Change> others =
        removal.listeners().stream().map(listener -> listener.dropping(live)).toList();
    Blocking.report("dropping the record of " + live.id(), rows.delete(live.id(), others));
  }
}
