// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.EnvironmentName;
import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.environments.Catalogue.StoredLayer;
import dev.sandgate.node.shared.SharedEnvironments;
import dev.sandgate.node.shared.SharedLayers;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node can use: its own environments and layers, and those that nodes share. Its own come first; the shared directory is
 * only asked for what it lacks.
 *
 * @param catalogue its own
 * @param store their images
 * @param shared if it shares any
 */
record Reach(Catalogue catalogue, LayerStore store, Optional<SharedLayers> shared) {

  private static final Logger LOG = LoggerFactory.getLogger(Reach.class);

  Optional<Named> find(String reference) {
    return catalogue.find(reference).or(() -> shared.flatMap(all -> find(all, reference)));
  }

  private static Optional<Named> find(SharedLayers all, String reference) {
    int at = reference.indexOf('@');
    if (at >= 0) {
      return all.environments()
          .find(reference.substring(0, at), reference.substring(at + 1))
          .map(Reach::named);
    }
    String key = reference.indexOf(':') >= 0 ? reference : reference + ":latest";
    return EnvironmentName.isKey(key)
        ? all.environments().find(key).map(Reach::named)
        : Optional.empty();
  }

  /** Shared ones that no own one hides; none when they cannot be listed, which the node shows elsewhere. */
  List<Environment> sharedOnly() {
    if (shared.isEmpty()) {
      return List.of();
    }
    try {
      SharedEnvironments.Listed all = shared.get().environments().all();
      Stream<Environment> whole = all.whole().stream().map(one -> shown(one, shared.get()));
      Stream<Environment> damaged = all.damaged().entrySet().stream().map(Reach::damaged);
      return Stream.concat(whole, damaged)
          .filter(one -> catalogue.find(one.getName() + ":" + one.getTag()).isEmpty())
          .toList();
    } catch (SandgateException e) {
      LOG.warn("only the node's own environments are listed: {}", e.getMessage());
      return List.of();
    }
  }

  private static Environment damaged(Map.Entry<String, String> one) {
    String[] key = one.getKey().split(":", 2);
    return Environment.newBuilder()
        .setName(key[0])
        .setTag(key[1])
        .setShared(true)
        .setDamaged(one.getValue())
        .build();
  }

  /** As it is kept there, with what is here of its layers. */
  private Environment shown(Environment environment, SharedLayers all) {
    Environment.Builder shown = environment.toBuilder().setShared(true).clearLayers();
    for (LayerInfo layer : environment.getLayersList()) {
      boolean whole = store.has(layer.getDigest());
      LayerInfo plain = layer.toBuilder().setLocalBytes(whole ? layer.getSizeBytes() : 0).build();
      shown.addLayers(all.shown(plain).orElse(plain));
    }
    Accessed.fill(shown);
    return shown.build();
  }

  Optional<StoredLayer> layer(String digest) {
    return catalogue
        .layer(digest)
        .or(
            () ->
                shared
                    .filter(_ -> EnvironmentName.isDigest(digest))
                    .flatMap(all -> all.layer(digest))
                    .map(Reach::stored));
  }

  /** Whether a layer is the node's own, here as a whole or known to be shared; asks nobody. */
  boolean isHere(String digest) {
    return catalogue.layer(digest).isPresent()
        || store.has(digest)
        || shared.flatMap(all -> all.known(digest)).isPresent();
  }

  /** Removes images without a name; where layers are or were shared they are what was brought here, and stay. */
  void sweep(Path data) {
    if (shared.isEmpty() && Files.notExists(data.resolve("shared"))) {
      store.sweep(digest -> catalogue.layer(digest).isPresent());
    }
  }

  /** Of these layers, what those are that are known from elsewhere only. */
  List<StoredLayer> foreign(List<String> digests) {
    List<StoredLayer> foreign = new ArrayList<>();
    for (String digest : digests) {
      if (catalogue.layer(digest).isEmpty()) {
        layer(digest).ifPresent(foreign::add);
      }
    }
    return foreign;
  }

  /** A layer that was taken in is the node's own from here on. */
  void own(String digest) {
    shared.ifPresent(all -> all.own(digest));
  }

  /** Layers to mount, here as a whole unless {@code partial}. */
  List<Layer> layers(List<String> digests, boolean partial) {
    if (!partial && shared.isPresent()) {
      shared.get().requireRoom(digests.stream().filter(digest -> !store.has(digest)).toList());
    }
    return digests.stream().map(digest -> layer(digest, partial)).toList();
  }

  private Layer layer(String digest, boolean partial) {
    if (shared.isEmpty() || store.has(digest)) {
      return new Layer(digest, store.image(digest));
    }
    return partial ? shared.get().ready(digest) : shared.get().whole(digest);
  }

  /** Layers that sandboxes stand on already; asks nobody. */
  List<Layer> mounted(List<String> digests) {
    return digests.stream().map(this::mounted).toList();
  }

  private Layer mounted(String digest) {
    Layer own = new Layer(digest, store.image(digest));
    return store.has(digest) ? own : shared.flatMap(all -> all.known(digest)).orElse(own);
  }

  LayerInfo shown(StoredLayer layer) {
    LayerInfo info = info(layer, shared.isEmpty() || store.has(layer.digest()));
    return shared.flatMap(all -> all.shown(info)).orElse(info);
  }

  private static LayerInfo info(StoredLayer layer, boolean whole) {
    return LayerInfo.newBuilder()
        .setDigest(layer.digest())
        .setKind(layer.kind())
        .setName(layer.name())
        .setSizeBytes(layer.size())
        .setLocalBytes(whole ? layer.size() : 0)
        .setSource(layer.source())
        .build();
  }

  private static StoredLayer stored(LayerInfo layer) {
    return new StoredLayer(
        layer.getDigest(),
        layer.getKind(),
        layer.getName(),
        layer.getSizeBytes(),
        layer.getSource());
  }

  static Named named(Environment environment) {
    return new Named(
        environment.getName(),
        environment.getTag(),
        environment.getLayersList().stream().map(LayerInfo::getDigest).toList(),
        Published.of(environment),
        environment.getCreatedAt().getSeconds() * 1_000
            + environment.getCreatedAt().getNanos() / 1_000_000);
  }
}
