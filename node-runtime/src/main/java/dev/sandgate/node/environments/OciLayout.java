// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;

/**
 * One image in a directory of the OCI image layout (image-spec, image-layout.md), as skopeo writes it.
 *
 * @param config what its commands begin with
 * @param layers lowest first
 */
record OciLayout(Path directory, ImageConfig config, List<Blob> layers) {

  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final int BUFFER = 1 << 16;
  private static final long MOST_JSON = 4L << 20;
  private static final int MOST_LAYERS = 512;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A layer.
   *
   * @param file its blob
   * @param size of the blob, bytes
   * @param diffId "sha256:…" of the tar in it
   */
  record Blob(Path file, long size, Packing packing, String diffId) {

    /** The tar in it; {@link Content#verify} after its end. */
    Content open() throws IOException {
      InputStream packed = new BufferedInputStream(Files.newInputStream(file), BUFFER);
      try {
        return new Content(packing.open(packed), diffId);
      } catch (IOException e) {
        packed.close();
        throw bad("it is damaged: " + e.getMessage());
      }
    }

    /** What is wrong with the layer, said of the image; by both digests, as skopeo packs a layer that was not. */
    SandgateException named(SandgateException failure) {
      String text = String.valueOf(failure.getMessage());
      String field = failure.field() + ": ";
      String why = text.startsWith(field) ? text.substring(field.length()) : text;
      String message =
          "image: layer sha256:%s (diff_id %s): %s".formatted(file.getFileName(), diffId, why);
      return new SandgateException(failure.code(), "image", message, failure);
    }
  }

  /** How a layer's tar is compressed. */
  enum Packing {
    NONE,
    GZIP,
    ZSTD;

    InputStream open(InputStream packed) throws IOException {
      return switch (this) {
        case NONE -> packed;
        case GZIP ->
            GzipCompressorInputStream.builder()
                .setInputStream(packed)
                .setDecompressConcatenated(true)
                .get();
        case ZSTD -> new ZstdCompressorInputStream(packed);
      };
    }
  }

  /** Bytes whose digest is known beforehand. */
  static final class Content extends FilterInputStream {
    private final String expected;
    private final MessageDigest digest;

    Content(InputStream in, String expected) {
      this(in, expected, sha256());
    }

    private Content(InputStream in, String expected, MessageDigest digest) {
      super(new DigestInputStream(in, digest));
      this.expected = expected;
      this.digest = digest;
    }

    /** Refuses what was not the layer that the image names. */
    void verify() {
      String actual = "sha256:" + HexFormat.of().formatHex(digest.digest());
      if (!actual.equals(expected)) {
        throw bad("it holds the digest " + actual + ", the configuration names " + expected);
      }
    }
  }

  static OciLayout read(Path directory) throws IOException {
    JsonNode manifests = json(directory.resolve("index.json")).path("manifests");
    if (manifests.size() != 1) {
      throw bad("there are %d images in it; name one, as oci:DIR:NAME".formatted(manifests.size()));
    }
    JsonNode manifest = json(blob(directory, manifests.get(0).path("digest")));
    JsonNode config = json(blob(directory, manifest.path("config").path("digest")));
    String platform = config.path("os").asText() + "/" + config.path("architecture").asText();
    if (!platform.equals("linux/" + architecture())) {
      throw bad("it is for " + platform + ", this node is linux/" + architecture());
    }
    return new OciLayout(
        directory,
        ImageConfig.of(config.path("config")),
        layers(directory, manifest.path("layers"), config.path("rootfs").path("diff_ids")));
  }

  private static List<Blob> layers(Path directory, JsonNode layers, JsonNode diffIds)
      throws IOException {
    if (layers.size() != diffIds.size() || layers.size() > MOST_LAYERS) {
      throw bad(
          "its manifest has %d layers, its configuration %d; at most %d are taken"
              .formatted(layers.size(), diffIds.size(), MOST_LAYERS));
    }
    List<Blob> blobs = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      Path file = blob(directory, layers.get(i).path("digest"));
      Packing packing = packing(layers.get(i).path("mediaType").asText());
      blobs.add(new Blob(file, Files.size(file), packing, digest(diffIds.get(i))));
    }
    return List.copyOf(blobs);
  }

  private static Packing packing(String mediaType) {
    return switch (mediaType) {
      case "application/vnd.oci.image.layer.v1.tar" -> Packing.NONE;
      case "application/vnd.oci.image.layer.v1.tar+gzip" -> Packing.GZIP;
      case "application/vnd.oci.image.layer.v1.tar+zstd" -> Packing.ZSTD;
      default ->
          throw bad(
              "its layers are "
                  + mediaType
                  + "; give an image whose layers are tar, tar+gzip or tar+zstd (skopeo copy"
                  + " --dest-compress-format gzip --dest-force-compress-format makes one)");
    };
  }

  private static Path blob(Path directory, JsonNode digest) {
    String hex = digest(digest).substring("sha256:".length());
    return directory.resolve("blobs/sha256").resolve(hex);
  }

  private static String digest(JsonNode named) {
    String digest = named.asText();
    if (!DIGEST.matcher(digest).matches()) {
      throw bad("it names " + Fields.shown(digest) + " by digest; sha256 digests are taken");
    }
    return digest;
  }

  private static JsonNode json(Path file) throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) > MOST_JSON) {
      throw bad(file.getFileName() + " is missing, or larger than 4 MiB");
    }
    return JSON.readTree(file.toFile());
  }

  private static String architecture() {
    String name = System.getProperty("os.arch");
    return switch (name) {
      case "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static SandgateException bad(String why) {
    return new SandgateException(ErrorCode.INVALID_ARGUMENT, "image", "image: " + why, null);
  }
}
