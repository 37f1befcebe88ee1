// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The manifests of a repository, by tag. */
final class RegistryTags {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST = 4 << 20;
  private static final Pattern NEXT = Pattern.compile("<([^>]*)>\\s*;\\s*rel=\"?next\"?");
  private static final String DIGEST = "Docker-Content-Digest";

  private final RegistryClient client;

  RegistryTags(RegistryClient client) {
    this.client = client;
  }

  /** The manifest under a tag or with a digest, if there is one. */
  Optional<RegistryManifest> read(String tag, String type) throws IOException {
    HttpResponse<InputStream> answer =
        client.send(
            client.request("manifests/" + tag).header("Accept", RegistryManifest.MEDIA), 200);
    try (InputStream body = answer.body()) {
      return answer.statusCode() == 404
          ? Optional.empty()
          : Optional.of(RegistryManifest.read(body.readNBytes(MOST), type, tag));
    }
  }

  /** Which manifest is under a tag. */
  Optional<String> digest(String tag) throws IOException {
    HttpResponse<InputStream> answer =
        client.send(
            client.request("manifests/" + tag).header("Accept", RegistryManifest.MEDIA).HEAD(),
            200);
    answer.body().close();
    return answer.statusCode() == 404 ? Optional.empty() : answer.headers().firstValue(DIGEST);
  }

  /** Puts a manifest under a tag. */
  void put(String tag, RegistryManifest manifest) throws IOException {
    HttpResponse<InputStream> answer =
        client.send(
            client
                .request("manifests/" + tag)
                .header("Content-Type", RegistryManifest.MEDIA)
                .PUT(BodyPublishers.ofByteArray(manifest.json())),
            201);
    answer.body().close();
    if (answer.statusCode() == 404) {
      throw new IOException("the registry takes no manifest of " + tag);
    }
  }

  /** Removes the manifest under a tag, and so every tag of it; false when there is none. */
  boolean remove(String tag) throws IOException {
    Optional<String> digest = digest(tag);
    return digest.isPresent() && delete(digest.get());
  }

  /** Removes a layer's manifest unless it was put there after this time. */
  boolean remove(String tag, Instant notAfter) throws IOException {
    Optional<String> digest = digest(tag);
    if (digest.isEmpty()) {
      return false;
    }
    // By digest: one that is put there from here on is another.
    Optional<RegistryManifest> manifest = read(digest.get(), RegistryManifest.LAYER);
    return manifest.filter(one -> !one.made().isAfter(notAfter)).isPresent()
        && delete(digest.get());
  }

  private boolean delete(String digest) throws IOException {
    HttpResponse<InputStream> answer =
        client.send(client.request("manifests/" + digest).DELETE(), 200, 202, 405);
    answer.body().close();
    if (answer.statusCode() == 405) {
      throw new IOException("the registry does not allow deletes; it has a setting for that");
    }
    return answer.statusCode() != 404;
  }

  /** All tags; none when there is no such repository yet. */
  List<String> all() throws IOException {
    List<String> found = new ArrayList<>();
    URI page = client.address().uri("tags/list?n=1000");
    while (page != null) {
      HttpResponse<InputStream> answer = client.send(client.request(page), 200);
      try (InputStream body = answer.body()) {
        JsonNode told = answer.statusCode() == 404 ? JSON.nullNode() : JSON.readTree(body);
        told.path("tags").forEach(tag -> found.add(tag.asText()));
      }
      page = next(answer);
    }
    return found;
  }

  private static @org.jspecify.annotations.Nullable URI next(HttpResponse<?> answer) {
    Matcher link = NEXT.matcher(answer.headers().firstValue("Link").orElse(""));
    return link.find() ? answer.uri().resolve(link.group(1)) : null;
  }
}
