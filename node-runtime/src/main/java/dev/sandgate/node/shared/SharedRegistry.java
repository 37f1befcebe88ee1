// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.checks.EnvironmentName;
import dev.sandgate.node.shared.RegistryManifest.Blob;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Shared layers in a repository of an OCI registry. An image is a blob, and so is what says what is in it; a manifest with the
 * layer's digest as its tag names both. An environment is a manifest that names its images, so that the registry keeps them.
 */
final class SharedRegistry implements SharedStorage {

  private final RegistryClient client;
  private final RegistryBlobs blobs;
  private final RegistryTags tags;

  /**
   * Connects when it is asked.
   *
   * @param auth where credentials are
   * @param patience until a connection is made
   */
  SharedRegistry(RegistryAddress address, Optional<Path> auth, Duration patience) {
    client = new RegistryClient(address, auth, patience);
    blobs = new RegistryBlobs(client);
    tags = new RegistryTags(client);
  }

  @Override
  public String place() {
    return client.address().toString();
  }

  @Override
  public Optional<SharedLayer> find(String digest) throws IOException {
    Optional<RegistryManifest> manifest = tags.read(tag(digest), RegistryManifest.LAYER);
    return manifest.isEmpty()
        ? Optional.empty()
        : Optional.of(parsed(SharedLayer.parser(), manifest.get().config().digest(), tag(digest)));
  }

  private <T> T parsed(com.google.protobuf.Parser<T> parser, String blob, String name)
      throws IOException {
    try {
      return parser.parseFrom(blobs.small(blob));
    } catch (InvalidProtocolBufferException e) {
      throw new SealedFile.Damaged(name + " is damaged");
    } catch (NoSuchFileException e) {
      throw new SealedFile.Damaged("the blob %s of %s is not there".formatted(blob, name));
    }
  }

  @Override
  public Optional<Environment> environment(String key) throws IOException {
    String tag = named(key);
    Optional<RegistryManifest> manifest = tags.read(tag, RegistryManifest.ENVIRONMENT);
    return manifest.isEmpty()
        ? Optional.empty()
        : Optional.of(parsed(Environment.parser(), manifest.get().config().digest(), tag));
  }

  @Override
  public List<String> names(Access.Clock clock) throws IOException {
    List<String> found = new ArrayList<>();
    for (String tag : tags.all()) {
      clock.move();
      String key = tag.startsWith("N") ? tag.substring(1).replace('T', ':') : "";
      if (EnvironmentName.isKey(key)) {
        found.add(key);
      }
    }
    return found;
  }

  /** Names have no capital letters, so these can set a name and its tag apart. */
  private static String named(String key) {
    int at = key.indexOf(':');
    return "N" + key.substring(0, at) + "T" + key.substring(at + 1);
  }

  private static String tag(String digest) {
    return digest.replace(':', '-');
  }

  @Override
  public Optional<Image> image(String digest) throws IOException {
    Optional<String> identity = tags.digest(tag(digest));
    var size = blobs.size(digest);
    return identity.isPresent() && size.isPresent()
        ? Optional.of(new Image(size.getAsLong(), identity.get()))
        : Optional.empty();
  }

  @Override
  public InputStream metadata(SharedLayer layer) throws IOException {
    return blobs.open(layer.getMetadataDigest());
  }

  @Override
  public byte[] read(String digest, long from, int length) throws IOException {
    return blobs.read(digest, from, length);
  }

  @Override
  public Optional<Path> file(String digest) {
    return Optional.empty();
  }

  @Override
  public boolean isWhole(LayerInfo layer) throws IOException {
    try {
      Optional<SharedLayer> facts = find(layer.getDigest());
      boolean whole =
          facts.isPresent()
              && blobs.size(layer.getDigest()).orElse(-1) == layer.getSizeBytes()
              && blobs.size(facts.get().getMetadataDigest()).isPresent();
      if (whole) {
        putFacts(facts.get());
      }
      return whole;
    } catch (SealedFile.Damaged e) {
      return false;
    }
  }

  @Override
  public void putImage(LayerInfo layer, Source image) throws IOException {
    String digest = layer.getDigest();
    if (blobs.size(digest).isPresent()) {
      image.require(digest);
      return;
    }
    blobs.put(
        image,
        () -> {
          image.require(digest);
          return digest;
        });
  }

  @Override
  public void putMetadata(LayerInfo layer, Source metadata) throws IOException {
    blobs.put(metadata, metadata::digest);
  }

  @Override
  public void putFacts(SharedLayer layer) throws IOException {
    byte[] content = layer.toByteArray();
    Blob config = new Blob(blobs.put(content), content.length);
    String metadata = layer.getMetadataDigest();
    List<Blob> needed =
        List.of(
            new Blob(layer.getLayer().getDigest(), layer.getLayer().getSizeBytes()),
            new Blob(metadata, blobs.size(metadata).orElse(0)));
    tags.put(
        tag(layer.getLayer().getDigest()),
        RegistryManifest.of(RegistryManifest.LAYER, config, needed));
  }

  /** A registry cannot be told to put a tag there only if it is free: of two at the same moment the later stays. */
  @Override
  public boolean name(Environment environment, boolean replace) throws IOException {
    String tag = named(environment.getName() + ":" + environment.getTag());
    if (!replace && tags.digest(tag).isPresent()) {
      return false;
    }
    byte[] content = environment.toByteArray();
    Blob config = new Blob(blobs.put(content), content.length);
    List<Blob> images =
        environment.getLayersList().stream()
            .map(layer -> new Blob(layer.getDigest(), layer.getSizeBytes()))
            .toList();
    tags.put(tag, RegistryManifest.of(RegistryManifest.ENVIRONMENT, config, images));
    return true;
  }

  @Override
  public boolean unname(String key) throws IOException {
    return tags.remove(named(key));
  }

  @Override
  public List<Stored> layers(Access.Clock clock) throws IOException {
    List<Stored> found = new ArrayList<>();
    for (String tag : tags.all()) {
      clock.move();
      Optional<RegistryManifest> manifest =
          tag.startsWith("sha256-") ? tags.read(tag, RegistryManifest.LAYER) : Optional.empty();
      manifest.ifPresent(
          one ->
              found.add(
                  new Stored(tag.replace('-', ':'), one.blobs().getFirst().size(), one.made())));
    }
    return found;
  }

  /** The registry's own collection of garbage frees the disk. */
  @Override
  public boolean remove(String digest, Instant notAfter) throws IOException {
    return tags.remove(tag(digest), notAfter);
  }

  @Override
  public void close() {
    client.close();
  }
}
