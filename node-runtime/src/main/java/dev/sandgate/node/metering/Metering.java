// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.metering;

import dev.sandgate.node.config.MeteringSettings;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.node.sandboxes.SandboxListener;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.node.sandboxes.Times;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterState;
import dev.sandgate.proto.v1.MetersGrpcService;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Usage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What each sandbox of this node used, from when it takes commands until its record is dropped, and all others together. */
public final class Metering implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Metering.class);
  private static final long READING_MILLIS = 5_000;
  private static final long CLOSE_MILLIS = 10_000;

  private final String nodeId;
  private final MeterRows rows;
  private final MeteringSettings settings;
  private final Map<String, Metered> all = new ConcurrentHashMap<>();
  private final Map<String, Sampler<Metered>> samplers = new ConcurrentHashMap<>();
  private final long wallMillis = System.currentTimeMillis();
  private final long startNanos = System.nanoTime();
  private volatile Meter expired;
  private volatile boolean closed;

  /** Reads what an earlier run recorded, and follows sandboxes from now on; blocks. */
  public Metering(
      String nodeId, Sandboxes sandboxes, Database database, MeteringSettings settings) {
    this.nodeId = nodeId;
    this.rows = new MeterRows(database);
    this.settings = settings;
    this.expired = rows.expired();
    Map<String, MeterState> stored = rows.load();
    for (LiveSandbox live : sandboxes.all()) {
      if (live.secret().hasReadyAt()) {
        restore(live, stored.get(live.id()));
      }
    }
    sandboxes.listen(new Following());
  }

  /** Answers the methods of {@code sandgate.v1.Meters}. */
  public void route(Routes routes) {
    routes.blocking(MetersGrpcService.List, ListMetersRequest.parser(), this::page);
  }

  /** Measures what is due, in the background; called ten times a second, never blocks. */
  public void tick() {
    if (!closed) {
      samplers.values().forEach(Sampler::tick);
    }
  }

  /** Records the living as they were measured last; blocks. */
  @Override
  public void close() {
    closed = true;
    List<Metered> living = all.values().stream().filter(Metered::lives).toList();
    Blocking.await(rows.put(living), CLOSE_MILLIS);
  }

  private dev.sandgate.proto.v1.MeterPage page(ListMetersRequest request) {
    Selection selection = Selection.of(request, nodeId);
    List<Metered> named =
        selection.ids().stream().map(id -> Selection.known(all.get(id), id)).toList();
    long begun = now();
    for (Metered one : named) {
      if (now() - begun < READING_MILLIS) {
        measure(one);
      }
    }
    return selection.page(List.copyOf(all.values()), expired, now());
  }

  /** Milliseconds since the epoch, as the node's clock was at its start and without jumps since. */
  private long now() {
    return wallMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }

  /** An ended one whose end was not recorded, and a living one that was reset without a word, lack something. */
  private void restore(LiveSandbox live, @Nullable MeterState stored) {
    long reset = resetMillis(live);
    SandboxMeter meter =
        stored == null ? fresh(live) : SandboxMeter.of(stored, reset, settings.periodMillis());
    if (stored == null && reset != 0) {
      meter.reset(Optional.empty(), now(), reset);
    }
    Metered one = new Metered(live, meter);
    if (!one.lives()) {
      meter.end(Optional.empty(), Times.millis(live.secret().getEndedAt()));
    }
    all.put(live.id(), one);
  }

  private SandboxMeter fresh(LiveSandbox live) {
    return new SandboxMeter(Times.millis(live.secret().getReadyAt()), settings.periodMillis());
  }

  private static long resetMillis(LiveSandbox live) {
    return live.secret().hasResetAt() ? Times.millis(live.secret().getResetAt()) : 0;
  }

  private Metered of(LiveSandbox live) {
    return all.computeIfAbsent(live.id(), _ -> new Metered(live, fresh(live)));
  }

  private void follow(LiveSandbox live) {
    samplers
        .computeIfAbsent(
            live.backend().name(),
            _ -> new Sampler<>(new Measuring(), settings.periodMillis(), this::now))
        .add(of(live));
  }

  /** One that ends, is reset or does not answer meanwhile is measured another time, or at its end. Blocks. */
  private void measure(Metered one) {
    LiveSandbox live = one.live();
    if (!live.isRunning()) {
      return;
    }
    long epoch = live.epoch();
    try {
      Usage usage = Blocking.await(live.running().usage(), READING_MILLIS);
      live.inEpoch(epoch, () -> one.meter().sample(usage, now()));
    } catch (SandgateException e) {
      LOG.debug("sandbox {} was not measured", live, e);
    }
  }

  private void record(Metered one) {
    Blocking.report("recording what " + one.live().id() + " used", rows.put(List.of(one)));
  }

  private synchronized Database.Change expire(LiveSandbox live) {
    Metered gone = all.remove(live.id());
    if (gone != null) {
      Sum sum = new Sum("");
      sum.add(expired);
      sum.add(gone.shown(now()));
      expired = sum.shown();
    }
    return MeterRows.expire(live.id(), expired);
  }

  /** What is done to one now and then while it lives. */
  private final class Measuring implements Sampler.Work<Metered> {

    @Override
    public boolean lives(Metered one) {
      return one.lives();
    }

    @Override
    public long since(Metered one) {
      return Times.millis(one.live().secret().getReadyAt());
    }

    @Override
    public void measure(Metered one) {
      Metering.this.measure(one);
    }

    @Override
    public void record(List<Metered> some) {
      Blocking.report("recording meters", rows.put(some));
    }
  }

  /** What sandboxes' lives mean for their meters. */
  private final class Following implements SandboxListener {

    @Override
    public void started(LiveSandbox sandbox) {
      follow(sandbox);
    }

    @Override
    public void adopted(LiveSandbox sandbox) {
      follow(sandbox);
    }

    @Override
    public void ending(LiveSandbox sandbox, String killReason) {
      // Measured when nothing runs any more.
    }

    @Override
    public void reset(LiveSandbox sandbox, Optional<Usage> used) {
      Metered one = of(sandbox);
      one.meter().reset(used, now(), resetMillis(sandbox));
      record(one);
    }

    @Override
    public void ended(LiveSandbox sandbox) {
      // What it leaves may still run.
    }

    @Override
    public void removed(LiveSandbox sandbox) {
      if (sandbox.secret().hasReadyAt()) {
        Metered one = of(sandbox);
        one.meter().end(sandbox.lastUsage(), now());
        record(one);
      }
    }

    @Override
    public void forgotten(LiveSandbox sandbox) {
      // With its record.
    }

    @Override
    public Database.Change dropping(LiveSandbox sandbox) {
      return expire(sandbox);
    }
  }
}
