// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a registry wants to see: a name and password, or a token for which they are given. Credentials are read each time they
 * are asked for, so that new ones need no restart.
 */
final class RegistryAccess {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern FIELD = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  private final HttpClient http;
  private final RegistryAddress address;
  private final Optional<Path> file;
  private volatile String header = "";

  RegistryAccess(HttpClient http, RegistryAddress address, Optional<Path> file) {
    this.http = http;
    this.address = address;
    this.file = file;
  }

  /** What to send along; empty until a registry asked for something. */
  Optional<String> header() {
    return header.isEmpty() ? Optional.empty() : Optional.of(header);
  }

  /** Gets what a {@code WWW-Authenticate} asks for. */
  void renew(String challenge) throws IOException {
    if (challenge.regionMatches(true, 0, "Bearer", 0, 6)) {
      header = "Bearer " + token(fields(challenge));
    } else {
      header = basic().orElseThrow(this::unknown);
    }
  }

  private IOException unknown() {
    return new IOException(
        "it wants a name and password; log in with skopeo login --authfile FILE %s and set node.shared-layers-auth to FILE"
            .formatted(address.host()));
  }

  private Optional<String> basic() throws IOException {
    if (file.isEmpty()) {
      return Optional.empty();
    }
    JsonNode all = JSON.readTree(Files.readAllBytes(file.get())).path("auths");
    String secret = all.path(address.host()).path("auth").asText();
    return secret.isEmpty() ? Optional.empty() : Optional.of("Basic " + secret);
  }

  private static Map<String, String> fields(String challenge) {
    Map<String, String> fields = new TreeMap<>();
    for (Matcher found = FIELD.matcher(challenge); found.find(); ) {
      fields.put(found.group(1), found.group(2));
    }
    return fields;
  }

  private String token(Map<String, String> fields) throws IOException {
    String realm = fields.getOrDefault("realm", "");
    String scope = "repository:%s:pull,push,delete".formatted(address.repository());
    String query =
        "service=%s&scope=%s"
            .formatted(encoded(fields.getOrDefault("service", "")), encoded(scope));
    URI uri = URI.create(realm + (realm.indexOf('?') < 0 ? "?" : "&") + query);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    basic().ifPresent(value -> request.header("Authorization", value));
    try {
      HttpResponse<InputStream> answer = http.send(request.build(), BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        JsonNode told = answer.statusCode() == 200 ? JSON.readTree(body) : JSON.nullNode();
        String token = told.path("token").asText(told.path("access_token").asText());
        if (token.isEmpty()) {
          throw new IOException("%s gave no token: %d".formatted(realm, answer.statusCode()));
        }
        return token;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("given up").initCause(e);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
