// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.backends.OpenBackend;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.sandboxes.SandboxRows.Stored;
import dev.sandgate.node.sandboxes.SpecReader.Wanted;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings back what an earlier run of the node left: first the records, then, in the background, the living. */
final class Adoption {

  private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);
  private static final long ADOPT_MILLIS = 600_000;
  private static final long UNKNOWN_MICROS = 0;
  private static final String NOT_MADE = "the node ended while it was being made";
  private static final String NOT_SURVIVED = "it did not survive a restart of the node";

  private final Backends backends;
  private final Environments environments;
  private final Registry registry;
  private final Removal removal;
  private final Reaper reaper;
  private final Pausing pausing;
  private final Map<String, List<LiveSandbox>> waiting = new HashMap<>();
  private final List<LiveSandbox> removed = new ArrayList<>();

  Adoption(
      Sandboxes.Parts parts, Registry registry, Removal removal, Reaper reaper, Pausing pausing) {
    this.backends = parts.backends();
    this.environments = parts.environments();
    this.registry = registry;
    this.removal = removal;
    this.reaper = reaper;
    this.pausing = pausing;
  }

  /** Reads the records; from here on requests find their sandboxes and wait for their return. */
  void load(SandboxRows rows, Keys keys) {
    for (Stored stored : rows.load()) {
      Sandbox record = stored.record();
      backends
          .find(record.getSpec().getBackend())
          .ifPresentOrElse(
              backend -> restore(backend, stored, keys),
              () ->
                  LOG.warn("sandbox {}: its backend is not there any more", record.getSandboxId()));
    }
  }

  CompletableFuture<Void> start() {
    CompletableFuture<?>[] all =
        backends.all().stream()
            .map(backend -> Blocking.start(() -> adopt(backend)))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(all);
  }

  private void restore(OpenBackend backend, Stored stored, Keys keys) {
    Sandbox record = stored.record();
    Stack stack =
        environments.restored(record.getLayerDigestsList(), stored.environment(), record.getSpec());
    Wanted wanted = new Wanted(backend, stack, record.getSpec());
    LiveSandbox live =
        new LiveSandbox(
            backend, wanted.forBackend(record.getSandboxId()), stack, record, stored.sequence());
    registry.restore(live);
    keys.restore(stored.key(), live.id());
    if (Lifecycle.ended(record.getState())) {
      return;
    }
    environments.restore(stack, live.id());
    live.awaitAdoption();
    if (record.getState() != SandboxState.SANDBOX_STATE_STOPPING) {
      waiting.computeIfAbsent(backend.name(), _ -> new ArrayList<>()).add(live);
    } else {
      removed.add(live);
    }
  }

  private int adopt(OpenBackend backend) {
    List<LiveSandbox> known = waiting.getOrDefault(backend.name(), List.of());
    Map<String, dev.sandgate.spi.Sandbox> alive = new HashMap<>();
    try {
      backend.probe().join();
      List<dev.sandgate.spi.SandboxSpec> specs = known.stream().map(LiveSandbox::spec).toList();
      Blocking.await(backend.backend().adopt(specs), ADOPT_MILLIS)
          .forEach(sandbox -> alive.put(sandbox.id(), sandbox));
    } catch (RuntimeException e) {
      LOG.error("backend {} could not take its sandboxes back", backend.name(), e);
    }
    removed.stream().filter(live -> live.backend() == backend).forEach(removal::finished);
    known.forEach(live -> settle(live, alive.get(live.id())));
    backend.adopted().complete(null);
    if (!known.isEmpty()) {
      LOG.info(
          "backend {}: {} of {} sandboxes are back", backend.name(), alive.size(), known.size());
    }
    return alive.size();
  }

  private void settle(
      LiveSandbox live, dev.sandgate.spi.@org.jspecify.annotations.Nullable Sandbox alive) {
    boolean creating = live.state() == SandboxState.SANDBOX_STATE_CREATING;
    if (alive == null) {
      removal.lost(live, creating ? NOT_MADE : NOT_SURVIVED);
      return;
    }
    boolean paused = live.state() == SandboxState.SANDBOX_STATE_PAUSED;
    if (creating) {
      live.started(pausing.waking(live, alive), UNKNOWN_MICROS);
    } else {
      live.adopting(pausing.waking(live, alive));
    }
    if (paused) {
      live.resumed();
    }
    removal.listeners().forEach(listener -> listener.adopted(live));
    if (paused) {
      pausing.again(live);
    }
    live.adopted();
    removal.watch(live, alive);
    reaper.watch(live);
  }
}
