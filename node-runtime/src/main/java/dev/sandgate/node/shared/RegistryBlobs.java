// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.OptionalLong;

/** The blobs of a repository. */
final class RegistryBlobs {

  private static final int SMALL = 1 << 28;

  private final RegistryClient client;

  RegistryBlobs(RegistryClient client) {
    this.client = client;
  }

  /** How large one is, if it is there. */
  OptionalLong size(String digest) throws IOException {
    HttpResponse<InputStream> answer = client.send(client.request("blobs/" + digest).HEAD(), 200);
    answer.body().close();
    return answer.statusCode() == 404
        ? OptionalLong.empty()
        : answer.headers().firstValueAsLong("Content-Length");
  }

  /** All of one. */
  InputStream open(String digest) throws IOException {
    HttpResponse<InputStream> answer = client.send(client.request("blobs/" + digest), 200);
    return found(answer, digest).body();
  }

  /** All of a small one, which is what its digest says. */
  byte[] small(String digest) throws IOException {
    try (InputStream body = open(digest)) {
      byte[] content = body.readNBytes(SMALL);
      var found = SealedFile.sha256();
      found.update(content);
      if (!SealedFile.named(found).equals(digest)) {
        throw new SealedFile.Damaged("the blob " + digest + " is damaged");
      }
      return content;
    }
  }

  /** A range of one. */
  byte[] read(String digest, long from, int length) throws IOException {
    String range = "bytes=%d-%d".formatted(from, from + length - 1);
    HttpResponse<InputStream> answer =
        client.send(client.request("blobs/" + digest).header("Range", range), 200, 206, 416);
    try (InputStream body = found(answer, digest).body()) {
      if (answer.statusCode() == 200) {
        throw new IOException("the registry serves no ranges of blobs");
      }
      byte[] content = body.readNBytes(length);
      if (answer.statusCode() == 416 || content.length < length) {
        throw new IOException("the blob " + digest + " ends before it should");
      }
      return content;
    }
  }

  private static HttpResponse<InputStream> found(HttpResponse<InputStream> answer, String digest)
      throws IOException {
    if (answer.statusCode() == 404) {
      answer.body().close();
      throw new NoSuchFileException("the blob " + digest);
    }
    return answer;
  }

  /** Puts bytes there; their digest. */
  String put(byte[] content) throws IOException {
    var all = SealedFile.sha256();
    all.update(content);
    String digest = SealedFile.named(all);
    if (size(digest).isEmpty()) {
      put(new ByteArrayInputStream(content), () -> digest);
    }
    return digest;
  }

  /** Says, once all was read, what it was. */
  @FunctionalInterface
  interface Digest {
    /** "sha256:…". */
    String get() throws IOException;
  }

  /** Puts there what is read; the registry refuses it when it is something else when it has come. */
  void put(InputStream content, Digest digest) throws IOException {
    BodyPublisher body = BodyPublishers.ofInputStream(() -> content);
    URI place = location(client.request("blobs/uploads/").POST(BodyPublishers.noBody()));
    place =
        location(
            client
                .request(place)
                .header("Content-Type", "application/octet-stream")
                .method("PATCH", body));
    String query = (place.getRawQuery() == null ? "?" : "&") + "digest=" + digest.get();
    URI end = URI.create(place + query);
    done(client.send(client.request(end).PUT(BodyPublishers.noBody()), 201));
  }

  private URI location(java.net.http.HttpRequest.Builder request) throws IOException {
    HttpResponse<InputStream> answer = done(client.send(request, 202));
    String place = answer.headers().firstValue("Location").orElse("");
    if (place.isEmpty()) {
      throw new IOException("the registry does not say where to send a blob");
    }
    return answer.uri().resolve(place);
  }

  private static HttpResponse<InputStream> done(HttpResponse<InputStream> answer)
      throws IOException {
    answer.body().close();
    if (answer.statusCode() == 404) {
      throw new IOException(String.format(Locale.ROOT, "%s is not there", answer.uri().getPath()));
    }
    return answer;
  }
}
