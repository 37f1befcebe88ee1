// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.node.export.Destination.Content;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A stack of layers as an image of the OCI (image-spec 1.0), its layers uncompressed. Each layer is read twice, first to know its digest
 * and size, which come before it, and then to be written: nothing is kept in between. Blocks; an interrupt ends it.
 */
public final class ImageExport {

  private static final String LAYER = "application/vnd.oci.image.layer.v1.tar";
  private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Source source;
  private final Consumer<String> progress;

  /**
   * What is exported.
   *
   * @param layers lowest first
   * @param config what commands begin with, as an image's configuration has it
   * @param annotations of the manifest
   * @param tag what the image is called in its layout
   */
  public record Source(
      List<Part> layers,
      Map<String, Object> config,
      Instant created,
      Map<String, String> annotations,
      String tag) {
    /** Freezes. */
    public Source {
      layers = List.copyOf(layers);
      annotations = Map.copyOf(annotations);
    }
  }

  /**
   * A layer.
   *
   * @param image its EROFS image
   * @param comment where it came from
   */
  public record Part(Path image, String digest, String comment) {}

  /**
   * What was written.
   *
   * @param digest of the manifest, by which registries know the image
   * @param size of all of its files, bytes
   */
  public record Written(String digest, int layers, long size) {}

  private record Blob(String digest, long size, Part part) {}

  /** Prepares. */
  public ImageExport(Source source, Consumer<String> progress) {
    this.source = source;
    this.progress = progress;
  }

  /** Writes the image. */
  public Written write(Destination destination) throws IOException {
    List<Blob> layers = measured();
    byte[] config = json(config(layers));
    byte[] manifest = json(manifest(config, layers));
    put(destination, "oci-layout", json(Map.of("imageLayoutVersion", "1.0.0")));
    put(destination, "index.json", json(index(manifest)));
    put(destination, blob(digest(config)), config);
    put(destination, blob(digest(manifest)), manifest);
    long size = config.length + (long) manifest.length;
    Set<String> written = new LinkedHashSet<>();
    for (Blob layer : layers) {
      if (written.add(layer.digest())) {
        progress.accept("writing layer %d of %d".formatted(written.size(), layers.size()));
        destination.put(blob(layer.digest()), layer.size(), out -> copy(layer, out));
        size += layer.size();
      }
    }
    destination.end();
    return new Written(digest(manifest), layers.size(), size);
  }

  private List<Blob> measured() throws IOException {
    List<Blob> layers = new ArrayList<>();
    for (Part part : source.layers()) {
      progress.accept(
          "reading layer %d of %d".formatted(layers.size() + 1, source.layers().size()));
      Measured measured = new Measured(OutputStream.nullOutputStream());
      LayerTar.write(part.image(), measured);
      layers.add(new Blob(measured.digest(), measured.size(), part));
    }
    return layers;
  }

  private static void copy(Blob layer, OutputStream out) throws IOException {
    Measured measured = new Measured(out);
    LayerTar.write(layer.part().image(), measured);
    if (measured.size() != layer.size() || !measured.digest().equals(layer.digest())) {
      throw new IOException("the layer " + layer.part().digest() + " changed while it was read");
    }
  }

  private Map<String, Object> config(List<Blob> layers) {
    List<Object> history = new ArrayList<>();
    for (Blob layer : layers) {
      history.add(
          new TreeMap<>(
              Map.of(
                  "created", source.created().toString(), "created_by", layer.part().comment())));
    }
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("created", source.created().toString());
    config.put("architecture", architecture());
    config.put("os", "linux");
    Map<String, Object> begin = new TreeMap<>(source.config());
    begin.putIfAbsent("Cmd", List.of("/bin/sh"));
    config.put("config", begin);
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("type", "layers");
    root.put("diff_ids", layers.stream().map(Blob::digest).toList());
    config.put("rootfs", root);
    config.put("history", history);
    return config;
  }

  private Map<String, Object> manifest(byte[] config, List<Blob> layers) {
    Map<String, Object> manifest = new LinkedHashMap<>();
    manifest.put("schemaVersion", 2);
    manifest.put("mediaType", MANIFEST);
    manifest.put("config", descriptor(CONFIG, digest(config), config.length));
    manifest.put(
        "layers",
        layers.stream().map(layer -> descriptor(LAYER, layer.digest(), layer.size())).toList());
    manifest.put("annotations", new TreeMap<>(source.annotations()));
    return manifest;
  }

  private Map<String, Object> index(byte[] manifest) {
    Map<String, Object> described = descriptor(MANIFEST, digest(manifest), manifest.length);
    described.put("annotations", Map.of("org.opencontainers.image.ref.name", source.tag()));
    Map<String, Object> index = new LinkedHashMap<>();
    index.put("schemaVersion", 2);
    index.put("manifests", List.of(described));
    return index;
  }

  private static Map<String, Object> descriptor(String type, String digest, long size) {
    Map<String, Object> descriptor = new LinkedHashMap<>();
    descriptor.put("mediaType", type);
    descriptor.put("digest", digest);
    descriptor.put("size", size);
    return descriptor;
  }

  private static void put(Destination destination, String name, byte[] bytes) throws IOException {
    Content content = out -> out.write(bytes);
    destination.put(name, bytes.length, content);
  }

  private static String blob(String digest) {
    return "blobs/sha256/" + digest.substring("sha256:".length());
  }

  private static String digest(byte[] bytes) {
    Measured measured = new Measured(OutputStream.nullOutputStream());
    measured.put(bytes);
    return measured.digest();
  }

  private static byte[] json(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String architecture() {
    String name = System.getProperty("os.arch");
    return switch (name) {
      case "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }
}
