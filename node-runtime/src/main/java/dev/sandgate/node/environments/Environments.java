// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.config.LayerSettings;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.node.environments.Locks.Lock;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.shared.SharedLayers;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The environments of this node and what uses them. */
public final class Environments implements AutoCloseable {

  private static final long RETIRE_MILLIS = 3_000;
  private static final int MAX_REFERENCE = 256;
  private static final int MAX_JOB = 256;
  private static final String DIGEST = "sha256:";

  private final Catalogue catalogue;
  private final LayerStore store;
  private final Reach reach;
  private final Uses uses = new Uses();
  private final Locks locks;
  private final Statistics statistics;
  private final LayerSettings settings;
  private long lastRetiredMillis;
  private final Integrity integrity;
  private final Path data;
  private final EnvironmentsService service;
  private final Exports exports;
  private final SnapshotLayers snapshotLayers;

  /** Opens the layer store below the data directory; blocks. */
  public Environments(Database database, EnvironmentParts parts) {
    this.settings = parts.settings();
    data = parts.data();
    store = new LayerStore(data.resolve("layers"), parts.forget());
    catalogue = new Catalogue(database);
    locks = new Locks(database);
    statistics = new Statistics(database);
    integrity = new Integrity(database, store);
    OwnLayers own =
        new OwnLayers(catalogue, store, uses, parts.reserve().room(data.resolve("layers")));
    reach = new Reach(catalogue, store, SharedLayers.open(parts.sharing(), data, own));
    reach.sweep(data);
    Imports imports = new Imports(this, reach, parts);
    service = new EnvironmentsService(this, reach, imports);
    exports = new Exports(this, reach, parts);
    snapshotLayers = new SnapshotLayers(this, reach, parts.reserve().room(data));
  }

  /** What is done with the directory of layers that nodes share, if there is one. */
  public Optional<dev.sandgate.proto.v1.SharedLayers> shared() {
    return reach.shared().map(SharedLayers::shown);
  }

  /** Records what was counted and not yet recorded, and lets go of the shared directory; blocks. */
  @Override
  public void close() {
    statistics.flush();
    reach.shared().ifPresent(SharedLayers::close);
  }

  /** Answers the methods of {@code sandgate.v1.Environments}. */
  public void route(Routes routes) {
    service.route(routes);
    exports.route(routes);
  }

  /**
   * Finds an environment and further layers, in the order base, workspaces, toolkits, as they are for a job, which may be empty.
   * NOT_FOUND and INVALID_ARGUMENT name the field. Layers that are shared are ready to be mounted, in part if that is all
   * they need to be.
   */
  public Stack resolve(String environment, List<String> further, String job, boolean partial) {
    Named base = require("environment", environment, job);
    Map<String, StoredLayer> stack = new LinkedHashMap<>();
    base.digests().forEach(digest -> put(stack, "environment", digest));
    if (stack.values().stream().noneMatch(Environments::isBase)) {
      throw invalid(
          "environment",
          base.key() + " has no base to stand on; give one that has, and this in layers");
    }
    for (int i = 0; i < further.size(); i++) {
      further("layers[" + i + "]", further.get(i), job, stack);
    }
    List<Layer> layers = reach.layers(ordered(stack), partial);
    layers.forEach(this::expect);
    return Stack.of(layers, base);
  }

  /** The stack of a sandbox that an earlier run made, as its spec names it and its row has the digest. */
  public Stack restored(List<String> digests, String environment, SandboxSpec spec) {
    String name = name(spec.getEnvironment());
    Published published =
        catalogue
            .find(name, environment)
            .map(named -> named.published().with(spec.getUser()))
            .orElse(Published.by(spec.getUser()));
    return new Stack(reach.mounted(digests), environment, name, published);
  }

  /** What was sealed elsewhere is looked at here as what was sealed here. */
  private void expect(Layer layer) {
    if (integrity.manifest(layer.digest()).isEmpty()) {
      reach
          .shared()
          .flatMap(shared -> shared.manifestOfHeld(layer.digest()))
          .ifPresent(manifest -> integrity.expect(layer.digest(), manifest));
    }
  }

  private String name(String reference) {
    if (reference.isEmpty() || reference.indexOf('@') >= 0 || reference.startsWith(DIGEST)) {
      return catalogue.find(reference).map(Named::key).orElse("");
    }
    return Catalogue.key(reference);
  }

  /** Says that a sandbox stands on a stack; NOT_FOUND when a layer of it was removed since it was resolved. */
  public synchronized void use(Stack stack, String sandboxId) {
    for (String digest : stack.digests()) {
      if (!reach.isHere(digest)) {
        throw missing("environment", digest);
      }
    }
    uses.add(stack, sandboxId);
  }

  /**
   * Its layers as a whole, kept until {@link Uses#release}; NOT_FOUND when one was removed since it was found. What comes
   * from the shared storage may be long in coming, so nothing else waits for it.
   */
  Stack held(Named named) {
    List<Layer> layers = reach.layers(named.digests(), false);
    Stack stack = Stack.of(layers, named);
    hold(stack);
    return stack;
  }

  private synchronized void hold(Stack stack) {
    for (String digest : stack.digests()) {
      if (!reach.isHere(digest)) {
        throw missing("reference", digest);
      }
    }
    uses.hold(stack);
  }

  /** Takes an image in and keeps it until {@link #letGo}, whoever removes environments meanwhile. */
  void take(Path image, String digest) throws IOException {
    LayerStore.flush(image);
    synchronized (this) {
      reach.store().adopt(image, digest);
      uses.hold(digest);
    }
    try {
      reach.own(digest); // may wait for the shared storage
    } catch (RuntimeException e) {
      letGo(digest);
      throw e;
    }
  }

  /** A name keeps what was taken in from here on, or nothing does, and it goes. */
  synchronized void letGo(String digest) {
    uses.release(digest);
    if (uses.count(digest) == 0 && catalogue.layer(digest).isEmpty()) {
      drop(List.of(digest));
    }
  }

  /** Counts a sandbox that takes commands; its job may be empty. */
  public void made(Stack stack, String job) {
    statistics.count(stack, job);
  }

  /** Whether what sandboxes wrote is among its layers. */
  public boolean endsWithSnapshot(Stack stack) {
    return !stack.layers().isEmpty()
        && catalogue
            .layer(stack.layers().getLast().digest())
            .filter(layer -> layer.kind() == LayerKind.LAYER_KIND_SNAPSHOT)
            .isPresent();
  }

  /** Says that a sandbox of an earlier run of the node stands on a stack. */
  public void restore(Stack stack, String sandboxId) {
    uses.add(stack, sandboxId);
  }

  /** Says that a sandbox does so no more. */
  public void unuse(Stack stack, String sandboxId) {
    uses.remove(stack, sandboxId);
  }

  /** What a caller is told of a failed write: that the disk is full, if it is. */
  public RuntimeException explained(Exception failure) {
    try {
      return DiskFull.or(failure, data);
    } catch (RuntimeException e) {
      return e;
    } catch (Exception e) {
      return new IllegalStateException(e);
    }
  }

  /** Whether layers are still what was sealed. */
  public Integrity integrity() {
    return integrity;
  }

  /** Where the layers of snapshots are made. */
  public SnapshotLayers snapshotLayers() {
    return snapshotLayers;
  }

  Uses uses() {
    return uses;
  }

  Named require(String field, String reference) {
    return require(field, reference, "");
  }

  private Named require(String field, String reference, String job) {
    Fields.text(field, reference, MAX_REFERENCE);
    String key = Catalogue.key(reference);
    return locks
        .digest(job, key)
        .flatMap(digest -> catalogue.find(key, digest))
        .or(() -> reach.find(reference))
        .orElseThrow(() -> missing(field, reference));
  }

  /** One that is the node's own, not a shared one. */
  Named requireOwn(String field, String reference) {
    Fields.text(field, reference, MAX_REFERENCE);
    return catalogue.find(reference).orElseThrow(() -> missing(field, reference));
  }

  /** Locks what a name stands for. */
  synchronized Lock lock(String job, String reference) {
    Fields.text("job", job, MAX_JOB);
    if (job.isEmpty()) {
      throw invalid("job", "it is missing; give what its sandboxes have as the label job");
    }
    if (reference.indexOf('@') >= 0 || reference.startsWith(DIGEST)) {
      throw invalid("reference", "a digest never changes and needs no lock; give name or name:tag");
    }
    return locks.add(job, requireOwn("reference", reference));
  }

  /** What is locked. */
  Locks locks() {
    return locks;
  }

  /** Lets go of what was replaced long enough ago and nothing needs, now and then; called about once a second, blocks. */
  public void sweep() {
    long now = System.currentTimeMillis();
    if (now - lastRetiredMillis >= RETIRE_MILLIS) {
      lastRetiredMillis = now;
      retire(now - settings.keepReplaced().toMillis());
    }
    statistics.flush();
  }

  private synchronized void retire(long beforeMillis) {
    drop(catalogue.retire(beforeMillis, this::needed, uses.layers()));
  }

  /** How things were used. */
  Statistics statistics() {
    return statistics;
  }

  private boolean needed(Named named) {
    return !uses.of(named).isEmpty() || !locks.of(named).isEmpty() || catalogue.isBeneath(named);
  }

  /** Digests of what an import stands on, in stack order. */
  List<String> beneath(List<String> references) {
    Map<String, StoredLayer> stack = new LinkedHashMap<>();
    for (int i = 0; i < references.size(); i++) {
      String field = "on[" + i + "]";
      String reference = references.get(i);
      if (reference.startsWith("sha256:")) {
        put(stack, field, reference);
      } else {
        require(field, reference).digests().forEach(digest -> put(stack, field, digest));
      }
    }
    return ordered(stack);
  }

  Environment shown(Named named) {
    return service.shown(named);
  }

  /** Removes an environment and the layers that nothing needs any more. */
  synchronized void remove(String reference) {
    Named named = requireOwn("reference", reference);
    InUse.requireNone("%d sandboxes use %s; delete them first: %s", uses.of(named), named);
    InUse.requireNone("%d jobs have locked %s; release it first: %s", locks.of(named), named);
    InUse.requireNone(
        "%d snapshots stand on %s; remove them first: %s", catalogue.standingOn(named), named);
    drop(catalogue.remove(named, this::needed, uses.layers()));
    statistics.forget(named.key(), digest -> catalogue.find(named.key(), digest).isPresent());
  }

  private void drop(List<String> loose) {
    for (String digest : loose) {
      store.delete(digest);
      integrity.forget(digest);
    }
    statistics.forget(loose);
  }

  private void further(String field, String reference, String job, Map<String, StoredLayer> stack) {
    List<StoredLayer> layers =
        reference.startsWith(DIGEST) && catalogue.layer(reference).isPresent()
            ? List.of(stored(field, reference))
            : require(field, reference, job).digests().stream()
                .map(digest -> stored(field, digest))
                .toList();
    List<StoredLayer> upper = layers.stream().filter(layer -> !isBase(layer)).toList();
    if (upper.isEmpty()) {
      throw invalid(
          field,
          Fields.shown(reference)
              + " is a base; give it as environment, and workspaces and"
              + " toolkits here");
    }
    upper.forEach(layer -> stack.putIfAbsent(layer.digest(), layer));
  }

  private static boolean isBase(StoredLayer layer) {
    return layer.kind() == LayerKind.LAYER_KIND_BASE;
  }

  private void put(Map<String, StoredLayer> stack, String field, String digest) {
    stack.putIfAbsent(digest, stored(field, digest));
  }

  private StoredLayer stored(String field, String digest) {
    return reach.layer(digest).orElseThrow(() -> missing(field, digest));
  }

  private static List<String> ordered(Map<String, StoredLayer> stack) {
    List<StoredLayer> layers = new ArrayList<>(stack.values());
    layers.sort(Comparator.comparingInt(layer -> layer.kind().getNumber()));
    return layers.stream().map(StoredLayer::digest).toList();
  }

  private SandgateException missing(String field, String reference) {
    Set<String> names = new TreeSet<>();
    catalogue.environments().forEach(named -> names.add(named.key()));
    return new SandgateException(
        ErrorCode.NOT_FOUND,
        field,
        "%s: %s is not on this node; there are %s".formatted(field, Fields.shown(reference), names),
        null);
  }
}
