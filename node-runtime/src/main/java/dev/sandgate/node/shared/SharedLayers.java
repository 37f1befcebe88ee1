// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.node.config.SharedSettings;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers that this node shares with others through a directory. A layer is used from there as soon as its metadata is
 * here; what is read of it stays here, and the rest follows in the background. Nothing is written there but what is shared.
 * Blocks, but never longer than the setting says; any thread but an event loop.
 */
public final class SharedLayers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SharedLayers.class);

  private final SharedSettings settings;
  private final SharedDirectory directory;
  private final LocalLayers local;
  private final Access access;
  private final Pulls pulls;
  private final Holdings holdings;
  private final AtomicLong metadataBytes = new AtomicLong();
  private final AtomicLong writtenBytes = new AtomicLong();

  /** Those of a node whose own layers are these; empty when it shares none. */
  public static Optional<SharedLayers> open(SharedSettings settings, Path data, LocalLayers local) {
    return settings.directory().map(root -> new SharedLayers(settings, root, data, local));
  }

  private SharedLayers(SharedSettings settings, Path root, Path data, LocalLayers local) {
    this.settings = settings;
    this.directory = new SharedDirectory(root);
    this.local = local;
    this.access = new Access(root, settings.patience());
    this.pulls = new Pulls(access);
    this.holdings =
        Holdings.open(data.resolve("shared"), local, settings.localBytes(), System::nanoTime);
    if (!Files.isDirectory(root)) {
      LOG.warn("node.shared-layers: {} is not there yet", root);
    }
  }

  /** The shared environment {@code name:tag}. */
  public Optional<Environment> environment(String key) {
    return access.call("look for an environment", _ -> directory.environment(key));
  }

  /** All shared environments. */
  public List<Environment> environments() {
    return access.call("list environments", _ -> directory.all());
  }

  /** What a layer is, if it is shared. */
  public Optional<LayerInfo> layer(String digest) {
    return holdings
        .find(digest)
        .map(Held::facts)
        .or(() -> access.call("look for a layer", _ -> read(digest)))
        .map(SharedLayer::getLayer);
  }

  /** What was sealed as a layer of which something is here, if it is one of a snapshot. */
  public Optional<Manifest> manifestOfHeld(String digest) {
    return holdings
        .find(digest)
        .map(Held::facts)
        .filter(facts -> !facts.getManifestDigest().isEmpty())
        .map(
            facts ->
                new Manifest(
                    facts.getManifestDigest(),
                    facts.getManifestEntries(),
                    facts.getManifestBytes()));
  }

  private Optional<Held> held(String digest) {
    Optional<Held> known = holdings.find(digest);
    if (known.isPresent()) {
      return known;
    }
    return access
        .call("look for a layer", _ -> read(digest))
        .map(facts -> holdings.add(checked(digest, facts)));
  }

  private Optional<SharedLayer> read(String digest) throws IOException {
    try {
      return directory.find(digest);
    } catch (SealedFile.Damaged e) {
      throw damaged(digest, String.valueOf(e.getMessage()));
    }
  }

  private SharedLayer checked(String digest, SharedLayer facts) {
    long size = facts.getLayer().getSizeBytes();
    int chunk = facts.getChunkBytes();
    boolean units = chunk > 0 && chunk <= 1 << 22 && chunk % ErofsMetadata.BLOCK == 0 && size > 0;
    if (!units
        || !facts.getLayer().getDigest().equals(digest)
        || facts.getChunkDigests().size() != (size + chunk - 1) / chunk * 32) {
      throw damaged(digest, directory.facts(digest) + " contradicts itself");
    }
    return facts;
  }

  /**
   * A layer ready to be mounted: as a whole if it is here, else in part, with its metadata here. NOT_FOUND when it is not
   * shared; FAILED_PRECONDITION when what is shared is damaged; LAYERS_UNAVAILABLE.
   */
  public Layer ready(String digest) {
    Held held = require(digest);
    holdings.use(held);
    Path whole = local.image(digest);
    if (Files.exists(whole)) {
      return new Layer(digest, whole);
    }
    refuseDamaged(held);
    boolean fresh = held.parts().isEmpty();
    LayerParts parts = parts(held);
    if (fresh) {
      holdings.trim();
    }
    if (settings.pulls()) {
      var _ = pull(held, parts);
    }
    return new Layer(digest, parts.image(), Optional.of(parts.map()));
  }

  private void refuseDamaged(Held held) {
    long met = held.newDamage();
    if (met > 0) {
      held.damaged(met + " of its chunks that sandboxes read are damaged", identity(held.digest()));
    }
    if (!held.damage().isEmpty()) {
      held.look(identity(held.digest()));
    }
    if (!held.damage().isEmpty()) {
      throw damaged(held.digest(), held.damage());
    }
  }

  /** Which file the shared image is now. */
  private String identity(String digest) {
    return access.call(
        "look at a layer",
        _ ->
            Files.readAttributes(directory.image(digest), "unix:ino,size,lastModifiedTime,ctime")
                .toString());
  }

  /** A layer that is here as a whole; waits until it is. */
  public Layer whole(String digest) {
    Held held = require(digest);
    holdings.use(held);
    Path image = local.image(digest);
    if (!Files.exists(image)) {
      refuseDamaged(held);
      join(pull(held, parts(held)));
    }
    return new Layer(digest, image);
  }

  /** The files of a layer for a sandbox that has it already, without a look at the directory. */
  public Optional<Layer> known(String digest) {
    return holdings
        .find(digest)
        .flatMap(Held::parts)
        .map(parts -> new Layer(digest, parts.image(), Optional.of(parts.map())));
  }

  private static void join(CompletableFuture<Path> pulled) {
    try {
      pulled.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof SandgateException known) {
        throw known;
      }
      throw new SandgateException(
          ErrorCode.INTERNAL, "", "a layer could not be kept: " + e.getCause(), e);
    }
  }

  private Held require(String digest) {
    return held(digest)
        .orElseThrow(
            () ->
                new SandgateException(
                    ErrorCode.NOT_FOUND,
                    "environment",
                    "environment: the layer %s is neither on this node nor in %s"
                        .formatted(digest, directory.root()),
                    null));
  }

  private LayerParts parts(Held held) {
    held.making().lock();
    try {
      return held.parts().orElseGet(() -> make(held));
    } finally {
      held.making().unlock();
    }
  }

  private LayerParts make(Held held) {
    String digest = held.digest();
    LayerParts made =
        access.call(
            "begin with a layer",
            clock -> made(held, LayerParts.Place.in(holdings.directory(), digest)));
    holdings.begun(held, made);
    metadataBytes.addAndGet(made.here() + held.facts().getSerializedSize());
    return made;
  }

  private LayerParts made(Held held, LayerParts.Place place) throws IOException {
    String digest = held.digest();
    Path remote = directory.image(digest);
    if (!Files.exists(remote)) {
      throw damaged(digest, remote + " is not there");
    }
    long size = Files.size(remote);
    if (size != held.facts().getLayer().getSizeBytes()) {
      throw damaged(
          digest,
          "%s has %d bytes instead of %d"
              .formatted(remote, size, held.facts().getLayer().getSizeBytes()));
    }
    try {
      return LayerParts.make(
          place, held.facts(), remote, directory.metadata(digest), settings.patience());
    } catch (SealedFile.Damaged e) {
      throw damaged(digest, String.valueOf(e.getMessage()));
    }
  }

  private CompletableFuture<Path> pull(Held held, LayerParts parts) {
    String digest = held.digest();
    CompletableFuture<Path> pulled =
        pulls.start(new Pulls.Wanted(digest, parts, directory.image(digest), local.image(digest)));
    return pulled.whenComplete(
        (_, failure) -> {
          if (failure instanceof SandgateException known
              && known.code() == ErrorCode.FAILED_PRECONDITION) {
            held.damaged("its chunks in bulk were damaged", identity(digest));
          }
          holdings.trim();
        });
  }

  /** Puts a layer there unless it is there already. */
  public void share(LayerInfo layer, Optional<Manifest> manifest) {
    Path image = local.image(layer.getDigest());
    if (!Files.exists(image) && layer(layer.getDigest()).isPresent()) {
      return;
    }
    writtenBytes.addAndGet(
        access.call(
            "share a layer", clock -> new Sharing(directory, clock).put(layer, image, manifest)));
  }

  /** Puts a name there whose layers are there. ALREADY_EXISTS when another environment has it. */
  public void share(Environment environment, boolean replace) {
    String key = environment.getName() + ":" + environment.getTag();
    byte[] content = environment.toByteArray();
    boolean named =
        access.call(
            "share a name",
            _ -> {
              Path fresh = directory.fresh();
              SealedFile.write(fresh, content);
              return directory.name(fresh, key, replace);
            });
    if (!named && !isSame(environment, key)) {
      throw new SandgateException(
          ErrorCode.ALREADY_EXISTS,
          "reference",
          "reference: another %s is shared; choose another name or tag, or set replace"
              .formatted(key),
          null);
    }
    writtenBytes.addAndGet(named ? content.length : 0);
  }

  private boolean isSame(Environment environment, String key) {
    return environment(key)
        .filter(other -> other.getDigest().equals(environment.getDigest()))
        .isPresent();
  }

  /** Takes a name away; false when there is none. */
  public boolean unshare(String key) {
    return access.call("take a name away", _ -> directory.unname(key));
  }

  /** A layer made here is this node's own, not a copy that may be thrown away. */
  public void own(String digest) {
    holdings.forget(digest);
  }

  /** What is here of a layer and how it came, if it came from there. */
  public Optional<LayerInfo> shown(LayerInfo layer) {
    return holdings.find(layer.getDigest()).map(held -> holdings.shown(held, layer));
  }

  /** What is done with the directory. */
  public dev.sandgate.proto.v1.SharedLayers shown() {
    return holdings
        .shown()
        .setDirectory(directory.root().toString())
        .setFailure(access.failure())
        .setMetadataBytes(metadataBytes.get())
        .setWrittenBytes(writtenBytes.get())
        .build();
  }

  private SandgateException damaged(String digest, String how) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION,
        "environment",
        "environment: the layer %s in %s is not what was shared: %s; remove it there and share it again"
            .formatted(digest, directory.root(), how),
        null);
  }

  @Override
  public void close() {
    pulls.close();
    access.close();
  }
}
