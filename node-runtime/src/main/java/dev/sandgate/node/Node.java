// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import dev.sandgate.node.admission.Admission;
import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.config.KnownSettings;
import dev.sandgate.node.config.LayerSettings;
import dev.sandgate.node.config.MeteringSettings;
import dev.sandgate.node.config.Recording;
import dev.sandgate.node.config.SharedSettings;
import dev.sandgate.node.config.SnapshotCapacity;
import dev.sandgate.node.config.TransferSettings;
import dev.sandgate.node.disk.DiskReserve;
import dev.sandgate.node.environments.Catalogue;
import dev.sandgate.node.environments.EnvironmentParts;
import dev.sandgate.node.environments.Environments;
import dev.sandgate.node.environments.Integrity;
import dev.sandgate.node.execs.Execs;
import dev.sandgate.node.files.FilesService;
import dev.sandgate.node.files.PortsService;
import dev.sandgate.node.functions.FunctionCalls;
import dev.sandgate.node.latencies.Latencies;
import dev.sandgate.node.metering.MeterRows;
import dev.sandgate.node.metering.Metering;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.node.rpc.Listener;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.sandboxes.SandboxRows;
import dev.sandgate.node.sandboxes.Sandboxes;
import dev.sandgate.node.sessions.SessionRows;
import dev.sandgate.node.sessions.Sessions;
import dev.sandgate.node.snapshots.Quiet;
import dev.sandgate.node.snapshots.SnapshotRows;
import dev.sandgate.node.snapshots.Snapshots;
import dev.sandgate.node.store.Database;
import dev.sandgate.node.store.Durability;
import dev.sandgate.node.swap.Swap;
import dev.sandgate.node.trajectory.Steps;
import dev.sandgate.node.trajectory.Trajectories;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node: its listener, its backends, its records.
 *
 * <p>{@link #start} and {@link #close} block and must not be called on an event loop. Closing stops the
 * listener and leaves sandboxes and their commands alive: the next start takes them back.
 */
public final class Node implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final long SWEEP_MILLIS = 1_000;
  private static final long METERING_MILLIS = 100;
  private static final long LISTEN_SECONDS = 30;

  private final Vertx vertx;
  private final Undo undo = new Undo();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private int port;
  private CompletableFuture<Void> adopted = CompletableFuture.completedFuture(null);

  private Node(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Starts a node and returns when it listens; sandboxes of an earlier run come back after that.
   *
   * @param vertx owned by the caller
   * @throws SandgateException INVALID_CONFIG names the setting and the fix
   */
  public static Node start(Vertx vertx, NodeConfig config) {
    Node node = new Node(vertx);
    try {
      node.open(config);
      return node;
    } catch (RuntimeException e) {
      node.close();
      throw e;
    }
  }

  /** The port it listens on. */
  public int port() {
    return port;
  }

  /** Completes when every sandbox of an earlier run is back or known to be lost. */
  public CompletableFuture<Void> adopted() {
    return adopted.copy();
  }

  @Override
  public void close() {
    undo.run();
  }

  private void open(NodeConfig config) {
    KnownSettings.check(config.settings().keySet());
    Path data = lock(config.dataDirectory());
    Recording recording = Recording.of(config.settings());
    Database database = database(data, recording);
    Backends backends = backends(config, data);
    Admission admission = Admission.of(config.settings(), config.capacity().sandboxes(), data);
    Environments environments = environments(config, database, backends, admission.disk());
    Latencies latencies = new Latencies();
    Sandboxes sandboxes =
        sandboxes(
            config,
            new Sandboxes.Parts(
                config.nodeId(),
                backends,
                environments,
                database,
                config.defaults(),
                config.capacity(),
                latencies,
                admission));
    Sessions sessions = sessions(sandboxes, database);
    Trajectories trajectories = new Trajectories(database, recording);
    Execs execs =
        new Execs(
            new Execs.Parts(
                sandboxes, trajectories, data, config.capacity(), recording, latencies));
    undo.push("commands", execs::close);
    Failures failures = new Failures(config.nodeId());
    Running running = new Running(sandboxes, environments, execs, sessions);
    Routes routes = routes(running, trajectories, failures);
    snapshots(config, database, running, latencies).route(routes);
    metering(config, database, sandboxes).route(routes);
    new FunctionCalls(config.nodeId(), backends, environments, latencies).route(routes);
    new NodesService(config.nodeId(), backends, running, latencies).route(routes);
    listen(config, routes, failures);
    adopted = sandboxes.adopt().thenCompose(_ -> load(execs, sandboxes));
    sweepEverySecond(running.sweeps(trajectories, database));
    LOG.info("node {} listens on {}:{}", config.nodeId(), config.host(), port);
  }

  private Sandboxes sandboxes(NodeConfig config, Sandboxes.Parts parts) {
    Sandboxes sandboxes = new Sandboxes(parts);
    undo.push("sandboxes", sandboxes::close);
    Swap swap = Swap.open(config.settings(), config.dataDirectory(), () -> sandboxes.living() > 0);
    undo.push("swap", swap::close);
    return sandboxes;
  }

  private Sessions sessions(Sandboxes sandboxes, Database database) {
    Sessions sessions = new Sessions(sandboxes, database);
    undo.push("sessions", sessions::close);
    return sessions;
  }

  private static Routes routes(Running running, Trajectories trajectories, Failures failures) {
    Routes routes = new Routes();
    running.sandboxes().route(routes, failures);
    running.execs().route(routes);
    running.sessions().route(routes);
    trajectories.route(routes);
    new FilesService(running.sandboxes()).route(routes);
    new PortsService(running.sandboxes()).route(routes);
    running.environments().route(routes);
    return routes;
  }

  private void listen(NodeConfig config, Routes routes, Failures failures) {
    Listener.Address address = new Listener.Address(config.host(), config.port(), config.token());
    Listener listener = settled(Listener.open(vertx, address, routes, failures));
    undo.push("listener", () -> settled(listener.close()));
    port = listener.port();
  }

  /** Two nodes on one directory would destroy each other's sandboxes. */
  private Path lock(Path data) {
    try {
      Files.createDirectories(data);
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
      FileChannel channel =
          FileChannel.open(
              data.resolve("node.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      undo.push("lock", channel::close);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(data, null);
      }
      return data;
    } catch (java.nio.channels.OverlappingFileLockException e) {
      throw inUse(data, e);
    } catch (IOException e) {
      throw new SandgateException(
          ErrorCode.INVALID_CONFIG,
          "node.data",
          "node.data: " + data + " cannot be used: " + e.getMessage(),
          e);
    }
  }

  private void sweepEverySecond(List<Runnable> sweeps) {
    long timer = vertx.setPeriodic(SWEEP_MILLIS, _ -> sweep(sweeps));
    undo.push("sweep", () -> vertx.cancelTimer(timer));
  }

  private Database database(Path data, Recording recording) {
    Database database = Database.open(data.resolve("node.db"), schema(), durability(recording));
    undo.push("database", database::close);
    return database;
  }

  private Environments environments(
      NodeConfig config, Database database, Backends backends, DiskReserve reserve) {
    Environments environments =
        new Environments(
            database,
            new EnvironmentParts(
                config.dataDirectory(),
                LayerSettings.of(config.settings()),
                TransferSettings.of(config.settings()),
                SharedSettings.of(config.settings()),
                reserve,
                backends::forget));
    undo.push("environments", environments::close);
    return environments;
  }

  private Backends backends(NodeConfig config, Path data) {
    Backends backends =
        Backends.open(
            new Backends.Setup(
                config.nodeId(), data, config.pluginsDirectory(), config.settings()));
    undo.push("backends", backends::close);
    return backends;
  }

  /** What snapshots are made of, and what the node tells of itself. */
  record Running(Sandboxes sandboxes, Environments environments, Execs execs, Sessions sessions) {

    List<Runnable> sweeps(Trajectories trajectories, Database database) {
      return List.of(
          sandboxes::sweep, execs::sweep, trajectories::sweep, environments::sweep, database::sync);
    }
  }

  private static Snapshots snapshots(
      NodeConfig config, Database database, Running running, Latencies latencies) {
    Quiet quiet =
        new Quiet(running.execs()::running, running.sessions()::open, running.execs()::latest);
    return new Snapshots(
        new Snapshots.Parts(
            config.nodeId(),
            running.sandboxes(),
            running.environments(),
            quiet,
            SnapshotCapacity.of(config.settings()),
            latencies),
        database,
        config.dataDirectory());
  }

  private Metering metering(NodeConfig config, Database database, Sandboxes sandboxes) {
    MeteringSettings settings = MeteringSettings.of(config.settings());
    Metering metering = new Metering(config.nodeId(), sandboxes, database, settings);
    undo.push("metering", metering::close);
    long timer = vertx.setPeriodic(METERING_MILLIS, _ -> metering.tick());
    undo.push("measuring", () -> vertx.cancelTimer(timer));
    return metering;
  }

  private static CompletableFuture<Void> load(Execs execs, Sandboxes sandboxes) {
    return Blocking.start(
            () -> {
              execs.load(sandboxes.ended());
              return execs;
            })
        .thenRun(() -> {});
  }

  private void sweep(List<Runnable> sweeps) {
    if (sweeping.compareAndSet(false, true)) {
      Blocking.background(
          "the sweep",
          () -> {
            try {
              sweeps.forEach(Runnable::run);
            } finally {
              sweeping.set(false);
            }
          });
    }
  }

  private static Durability durability(Recording recording) {
    return switch (recording.journal()) {
      case PROCESS, OFF -> Durability.PROCESS;
      case POWER -> Durability.POWER;
    };
  }

  private static List<String> schema() {
    List<String> schema = new ArrayList<>(SandboxRows.SCHEMA);
    schema.addAll(Steps.SCHEMA);
    schema.addAll(SessionRows.SCHEMA);
    schema.addAll(Catalogue.SCHEMA);
    schema.addAll(Integrity.SCHEMA);
    schema.addAll(SnapshotRows.SCHEMA);
    schema.addAll(MeterRows.SCHEMA);
    return schema;
  }

  private static <T> T settled(Future<T> future) {
    try {
      return future.await(LISTEN_SECONDS, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new SandgateException(
          ErrorCode.INTERNAL, "", "the listener did not answer within " + LISTEN_SECONDS + " s", e);
    }
  }

  private static SandgateException inUse(
      Path data, @org.jspecify.annotations.Nullable Throwable cause) {
    return new SandgateException(
        ErrorCode.INVALID_CONFIG,
        "node.data",
        "node.data: " + data + " is in use by another node; stop it or choose another directory",
        cause);
  }
}
