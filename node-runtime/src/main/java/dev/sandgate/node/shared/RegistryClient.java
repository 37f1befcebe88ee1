// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Requests of one repository: they carry what the registry asks for, and follow where it sends readers. */
final class RegistryClient implements AutoCloseable {

  private static final int REDIRECTS = 4;
  private static final int TOLD = 300;

  private final HttpClient http;
  private final RegistryAddress address;
  private final RegistryAccess access;

  /**
   * Connects when it is asked.
   *
   * @param auth where credentials are, as {@code skopeo login --authfile} leaves them
   * @param patience until a connection is made; whoever calls bounds the rest, and interrupts
   */
  RegistryClient(RegistryAddress address, Optional<Path> auth, Duration patience) {
    this.address = address;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(patience)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    this.access = new RegistryAccess(http, address, auth);
  }

  RegistryAddress address() {
    return address;
  }

  /** A request of something of the repository. */
  HttpRequest.Builder request(String rest) {
    return request(address.uri(rest));
  }

  HttpRequest.Builder request(URI uri) {
    return HttpRequest.newBuilder(uri);
  }

  /**
   * The answer, which has one of these statuses or 404; anything else is an IOException with what the registry said. The body
   * must be closed.
   */
  HttpResponse<InputStream> send(HttpRequest.Builder request, int... expected) throws IOException {
    HttpResponse<InputStream> answer = exchange(request, true);
    if (answer.statusCode() == 401) {
      answer.body().close();
      access.renew(challenge(answer));
      answer = exchange(request, true);
    }
    for (int left = REDIRECTS; isElsewhere(answer) && left > 0; left--) {
      answer.body().close();
      answer = follow(request, answer);
    }
    int status = answer.statusCode();
    if (status != 404 && java.util.Arrays.stream(expected).noneMatch(one -> one == status)) {
      throw refused(answer);
    }
    return answer;
  }

  private static String challenge(HttpResponse<?> answer) {
    return answer.headers().firstValue("WWW-Authenticate").orElse("");
  }

  private static boolean isElsewhere(HttpResponse<?> answer) {
    return switch (answer.statusCode()) {
      case 301, 302, 303, 307, 308 -> answer.headers().firstValue("Location").isPresent();
      default -> false;
    };
  }

  /** Another place is not told our credentials: what it needs is in the link. */
  private HttpResponse<InputStream> follow(HttpRequest.Builder request, HttpResponse<?> answer)
      throws IOException {
    URI to = answer.uri().resolve(answer.headers().firstValue("Location").orElseThrow());
    return exchange(request.copy().uri(to), address.host().equals(to.getAuthority()));
  }

  private HttpResponse<InputStream> exchange(HttpRequest.Builder request, boolean ours)
      throws IOException {
    HttpRequest.Builder sent = request.copy();
    if (ours) {
      access.header().ifPresent(value -> sent.setHeader("Authorization", value));
    }
    try {
      return http.send(sent.build(), BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("given up").initCause(e);
    }
  }

  private static IOException refused(HttpResponse<InputStream> answer) throws IOException {
    try (InputStream body = answer.body()) {
      String told = new String(body.readNBytes(TOLD), StandardCharsets.UTF_8).strip();
      return new IOException(
          String.format(
              Locale.ROOT,
              "%s %s was answered with %d %s",
              answer.request().method(),
              answer.uri().getPath(),
              answer.statusCode(),
              told));
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
