// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.config.SharedSettings;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.node.rpc.Routes;
import dev.sandgate.node.shared.LocalLayers;
import dev.sandgate.node.shared.SharedLayers;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
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

  private static final int NAMED = 8;

  private final Catalogue catalogue;
  private final LayerStore store;
  private final Reach reach;
  private final Uses uses = new Uses();
  private final Integrity integrity;
  private final Path data;
  private final EnvironmentsService service;

  /**
   * Opens the layer store below a directory; blocks.
   *
   * @param collapseBytes how large the layers of an image that become one may be together, as its registry has them
   * @param sharing which directory of layers it shares with other nodes
   */
  public Environments(
      Database database, Path dataDirectory, long collapseBytes, SharedSettings sharing) {
    data = dataDirectory;
    store = new LayerStore(dataDirectory.resolve("layers"));
    catalogue = new Catalogue(database);
    integrity = new Integrity(database, store);
    reach = new Reach(catalogue, store, SharedLayers.open(sharing, dataDirectory, own()));
    Imports imports = new Imports(reach, dataDirectory, collapseBytes);
    service = new EnvironmentsService(this, reach, imports);
  }

  private LocalLayers own() {
    return new LocalLayers() {
      @Override
      public Path image(String digest) {
        return store.image(digest);
      }

      @Override
      public boolean isUsed(String digest) {
        return uses.layers().contains(digest);
      }
    };
  }

  /** What is done with the directory of layers that nodes share, if there is one. */
  public Optional<dev.sandgate.proto.v1.SharedLayers> shared() {
    return reach.shared().map(SharedLayers::shown);
  }

  @Override
  public void close() {
    reach.shared().ifPresent(SharedLayers::close);
  }

  /** Answers the methods of {@code sandgate.v1.Environments}. */
  public void route(Routes routes) {
    service.route(routes);
  }

  /**
   * Finds an environment and further layers, in the order base, workspaces, toolkits. NOT_FOUND names the
   * field. Layers that are shared are ready to be mounted, in part if that is all they need to be.
   */
  public Stack resolve(String environment, List<String> further, boolean partial) {
    Named base = require("environment", environment);
    Map<String, StoredLayer> stack = new LinkedHashMap<>();
    base.digests().forEach(digest -> put(stack, "environment", digest));
    for (int i = 0; i < further.size(); i++) {
      further("layers[" + i + "]", further.get(i), stack);
    }
    List<Layer> layers = reach.layers(ordered(stack), partial);
    layers.forEach(this::expect);
    return new Stack(layers, base.digest(), base.key(), base.user());
  }

  /** The stack of a sandbox that an earlier run made, as its spec names it and its row has the digest. */
  public Stack restored(List<String> digests, String environment, SandboxSpec spec) {
    return new Stack(
        reach.mounted(digests), environment, name(spec.getEnvironment()), spec.getUser());
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
    if (reference.isEmpty() || reference.indexOf('@') >= 0) {
      return catalogue.find(reference).map(Named::key).orElse("");
    }
    return reference.indexOf(':') >= 0 ? reference : reference + ":latest";
  }

  /** Says that a sandbox stands on a stack. */
  public void use(Stack stack, String sandboxId) {
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
    return new SnapshotLayers(this, reach);
  }

  Uses uses() {
    return uses;
  }

  Named require(String field, String reference) {
    Fields.text(field, reference, 256);
    return reach.find(reference).orElseThrow(() -> missing(field, reference));
  }

  /** One that is the node's own, not a shared one. */
  Named requireOwn(String field, String reference) {
    Fields.text(field, reference, 256);
    return catalogue.find(reference).orElseThrow(() -> missing(field, reference));
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
  void remove(String reference) {
    Named named = requireOwn("reference", reference);
    List<String> sandboxes = uses.of(named);
    if (!sandboxes.isEmpty()) {
      throw needed(
          "%d sandboxes use %s; delete them first: %s"
              .formatted(sandboxes.size(), named.key(), some(sandboxes)));
    }
    List<String> children = catalogue.standingOn(named);
    if (!children.isEmpty()) {
      throw needed(
          "%d snapshots stand on %s; remove them first: %s"
              .formatted(children.size(), named.key(), some(children)));
    }
    for (String digest : catalogue.remove(named, uses.layers())) {
      store.delete(digest);
      integrity.forget(digest);
    }
  }

  private static String some(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(NAMED, names.size())));
    return names.size() > NAMED ? first + ", …" : first;
  }

  private static SandgateException needed(String why) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION, "reference", "reference: " + why, null);
  }

  private void further(String field, String reference, Map<String, StoredLayer> stack) {
    if (reference.startsWith("sha256:")) {
      put(stack, field, reference);
      return;
    }
    for (String digest : require(field, reference).digests()) {
      StoredLayer layer = stored(field, digest);
      if (layer.kind() != LayerKind.LAYER_KIND_BASE) {
        stack.putIfAbsent(digest, layer);
      }
    }
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
