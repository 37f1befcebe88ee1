// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * An OCI image manifest of an artifact: what it says is in its config, and it names the blobs that must stay as long as it does.
 *
 * @param type of the artifact, of which the config's and the blobs' are made
 * @param config what it says
 * @param blobs what it needs
 * @param made when it was put there
 */
record RegistryManifest(String type, Blob config, List<Blob> blobs, Instant made) {

  static final String MEDIA = "application/vnd.oci.image.manifest.v1+json";
  static final String LAYER = "application/vnd.sandgate.layer.v1";
  static final String ENVIRONMENT = "application/vnd.sandgate.environment.v1";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CREATED = "org.opencontainers.image.created";

  /**
   * One blob.
   *
   * @param digest its name
   * @param size bytes
   */
  record Blob(String digest, long size) {}

  /** Of what is put there now. */
  static RegistryManifest of(String type, Blob config, List<Blob> blobs) {
    return new RegistryManifest(type, config, blobs, Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  byte[] json() throws IOException {
    ObjectNode all = JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", MEDIA);
    all.put("artifactType", type);
    all.set("config", json(config, type + "+protobuf"));
    ArrayNode layers = all.putArray("layers");
    blobs.forEach(blob -> layers.add(json(blob, "application/octet-stream")));
    all.putObject("annotations").put(CREATED, made.toString());
    return JSON.writeValueAsBytes(all);
  }

  private static ObjectNode json(Blob blob, String media) {
    return JSON.createObjectNode()
        .put("mediaType", media)
        .put("digest", blob.digest())
        .put("size", blob.size());
  }

  /** Reads one; damaged unless it is one of this type. */
  static RegistryManifest read(byte[] json, String type, String name) throws IOException {
    try {
      JsonNode all = JSON.readTree(json);
      List<Blob> blobs = new ArrayList<>();
      all.path("layers").forEach(one -> blobs.add(blob(one)));
      if (!all.path("artifactType").asText().equals(type)) {
        throw new SealedFile.Damaged(name + " is no " + type);
      }
      Instant made = Instant.parse(all.path("annotations").path(CREATED).asText());
      return new RegistryManifest(type, blob(all.path("config")), blobs, made);
    } catch (com.fasterxml.jackson.core.JacksonException
        | java.time.DateTimeException
        | IllegalArgumentException e) {
      throw new SealedFile.Damaged(name + " is damaged: " + e.getMessage());
    }
  }

  private static Blob blob(JsonNode node) {
    String digest = node.path("digest").asText();
    if (!digest.matches("sha256:[0-9a-f]{64}")) {
      throw new IllegalArgumentException("no digest: " + digest);
    }
    return new Blob(digest, node.path("size").asLong());
  }
}
