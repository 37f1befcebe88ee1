// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.node.config.SharedSettings;
import dev.sandgate.proto.v1.CollectSharedRequest;
import dev.sandgate.proto.v1.CollectSharedResponse;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
 * The layers that this node shares with others through a directory or a registry. A layer is used from there as soon as its metadata is
 * here; what is read of it stays here, and the rest follows in the background. Nothing is written there but what is shared.
 * Blocks, but never longer than the setting says; any thread but an event loop.
 */
public final class SharedLayers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SharedLayers.class);

  private final SharedSettings settings;
  private final SharedStorage storage;
  private final LocalLayers local;
  private final Access access;
  private final SharedEnvironments environments;
  private final Pulls pulls;
  private final Holdings holdings;
  private final Asked asked;
  private final AtomicLong metadataBytes = new AtomicLong();
  private final AtomicLong writtenBytes = new AtomicLong();

  /** Those of a node whose own layers are these; empty when it shares none. */
  public static Optional<SharedLayers> open(SharedSettings settings, Path data, LocalLayers local) {
    return settings.place().map(place -> new SharedLayers(settings, place, data, local));
  }

  private SharedLayers(SharedSettings settings, String place, Path data, LocalLayers local) {
    this.settings = settings;
    this.storage = storage(settings, place);
    this.local = local;
    this.access = new Access(place, settings.patience());
    this.environments = new SharedEnvironments(storage, access);
    this.pulls = new Pulls(access, storage, local::requireRoom);
    Path held = data.resolve("shared");
    this.holdings = Holdings.open(held, local, settings.localBytes(), System::nanoTime);
    this.asked = Asked.at(held.resolve("asked"), this::read);
  }

  private static SharedStorage storage(SharedSettings settings, String place) {
    if (SharedSettings.isRegistry(place)) {
      return new SharedRegistry(RegistryAddress.of(place), settings.auth(), settings.patience());
    }
    Path root = Path.of(place);
    if (!Files.isDirectory(root)) {
      LOG.warn("node.shared-layers: {} is not there yet", root);
    }
    return new SharedDirectory(root);
  }

  private byte[] read(String digest, long from, int length) {
    return access.call("read an image", _ -> storage.read(digest, from, length));
  }

  /** What is shared by name. */
  public SharedEnvironments environments() {
    return environments;
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
      return storage.find(digest);
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
      throw damaged(digest, "what is said of it contradicts itself");
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
        _ -> storage.image(digest).map(SharedStorage.Image::identity).orElse("gone"));
  }

  /** RESOURCE_EXHAUSTED when what these lack here would not leave the disk's reserve. */
  public void requireRoom(List<String> digests) {
    long bytes = 0;
    for (String digest : digests) {
      bytes += holdings.missing(require(digest));
    }
    if (bytes > 0) {
      local.requireRoom(bytes);
    }
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

  /** The files of a layer for a sandbox that has it already, without a look at the storage. */
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
                        .formatted(digest, storage.place()),
                    null));
  }

  private LayerParts parts(Held held) {
    return held.begun(() -> make(held));
  }

  private LayerParts make(Held held) {
    LayerParts made = madeHere(held);
    holdings.begun(held, made);
    metadataBytes.addAndGet(made.here() + held.facts().getSerializedSize());
    return made;
  }

  private LayerParts madeHere(Held held) {
    LayerParts.Place place = LayerParts.Place.in(holdings.directory(), held.digest());
    LayerParts.Place fresh = place.attempt();
    try {
      place.clearAttempts();
      long _ = access.call("begin with a layer", clock -> made(held, fresh, clock));
      return LayerParts.take(fresh, place, held.facts());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long made(Held held, LayerParts.Place fresh, Access.Clock clock) throws IOException {
    String digest = held.digest();
    long size = held.facts().getLayer().getSizeBytes();
    long there = storage.image(digest).map(SharedStorage.Image::size).orElse(-1L);
    if (there != size) {
      String how = there < 0 ? "its image is not there" : "its image has %d bytes instead of %d";
      throw damaged(digest, how.formatted(there, size));
    }
    try (InputStream metadata = new Moving(storage.metadata(held.facts()), clock)) {
      LayerParts.make(fresh, held.facts(), remote(digest), metadata, settings.patience());
      return size;
    } catch (SealedFile.Damaged e) {
      throw damaged(digest, String.valueOf(e.getMessage()));
    }
  }

  private String remote(String digest) {
    return storage.file(digest).map(Path::toString).orElseGet(asked::remote);
  }

  private CompletableFuture<Path> pull(Held held, LayerParts parts) {
    String digest = held.digest();
    CompletableFuture<Path> pulled =
        pulls.start(new Pulls.Wanted(digest, parts, local.image(digest)));
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
            "share a layer", clock -> new Sharing(storage, clock).put(layer, image, manifest)));
  }

  /** Puts a name there whose layers are there. ALREADY_EXISTS when another environment has it. */
  public void share(Environment environment, boolean replace) {
    String key = SharedEnvironments.key(environment);
    boolean named = access.call("share a name", _ -> storage.name(environment, replace));
    if (!named && !isSame(environment, key)) {
      throw new SandgateException(
          ErrorCode.ALREADY_EXISTS,
          "reference",
          "reference: another %s is shared; choose another name or tag, or set replace"
              .formatted(key),
          null);
    }
    writtenBytes.addAndGet(named ? environment.getSerializedSize() : 0);
  }

  private boolean isSame(Environment environment, String key) {
    return environments
        .find(key)
        .filter(other -> other.getDigest().equals(environment.getDigest()))
        .isPresent();
  }

  /** Finds what nothing there needs, and removes it if that is wanted. */
  public CollectSharedResponse collect(CollectSharedRequest request) {
    return new SharedGarbage(storage, access, environments, local).collect(request);
  }

  /** Takes a name away; false when there is none. */
  public boolean unshare(String key) {
    return access.call("take a name away", _ -> storage.unname(key));
  }

  /** A layer made here is this node's own, not a copy that may be thrown away. */
  public void own(String digest) {
    holdings.forget(digest);
  }

  /** What is here of a layer and how it came, if it came from there. */
  public Optional<LayerInfo> shown(LayerInfo layer) {
    return holdings.find(layer.getDigest()).map(held -> holdings.shown(held, layer));
  }

  /** What is done with the storage. */
  public dev.sandgate.proto.v1.SharedLayers shown() {
    return holdings
        .shown()
        .setDirectory(storage.place())
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
            .formatted(digest, storage.place(), how),
        null);
  }

  @Override
  public void close() {
    asked.close();
    pulls.close();
    access.close();
    storage.close();
  }
}
