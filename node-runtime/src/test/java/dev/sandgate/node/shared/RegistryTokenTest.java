// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sandgate.node.support.Programs;
import dev.sandgate.node.support.Registry;
import dev.sandgate.proto.v1.Environment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry that wants tokens, and the service that gives them for a name and password. */
class RegistryTokenTest {

  private static final String BASIC =
      "Basic " + Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));

  @TempDir private Path directory;
  private final AtomicInteger given = new AtomicInteger();

  @Test
  void shouldAskForATokenOnceAndUseIt() throws Exception {
    Programs.run(
        "sh",
        "-c",
        "cd '%s' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -subj /CN=issuer -days 2 && openssl pkcs8 -topk8 -nocrypt -in key -outform DER -out key.der"
            .formatted(directory));
    HttpServer tokens =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    tokens.createContext("/token", this::token);
    tokens.start();
    String auth =
        "auth: {token: {realm: \"http://127.0.0.1:%d/token\", service: layers, issuer: issuer, rootcertbundle: \"%s\"}}"
            .formatted(tokens.getAddress().getPort(), directory.resolve("cert"));
    try (Registry registry = new Registry(directory.resolve("registry"), auth);
        SharedRegistry without = storage(registry, Optional.empty());
        SharedRegistry storage = storage(registry, Optional.of(login(registry)))) {
      IOException refused =
          assertThrows(IOException.class, () -> without.names(new Access.Clock()));
      assertTrue(String.valueOf(refused.getMessage()).contains("no token: 401"), refused::toString);
      Environment one = Environment.newBuilder().setName("a").setTag("b").build();
      storage.name(one, false);
      assertEquals(Optional.of(one), storage.environment("a:b"));
      assertTrue(storage.unname("a:b"));
      assertEquals(1, given.get());
    } finally {
      tokens.stop(0);
    }
  }

  private static SharedRegistry storage(Registry registry, Optional<Path> auth) {
    return new SharedRegistry(
        new RegistryAddress("127.0.0.1:" + registry.port(), "some/layers"),
        auth,
        Duration.ofSeconds(5));
  }

  private Path login(Registry registry) throws IOException {
    return Files.writeString(
        directory.resolve("auth"),
        "{\"auths\": {\"127.0.0.1:%d\": {\"auth\": \"%s\"}}}"
            .formatted(registry.port(), BASIC.substring(6)));
  }

  private void token(HttpExchange call) throws IOException {
    boolean known = BASIC.equals(call.getRequestHeaders().getFirst("Authorization"));
    String answer = known ? "{\"token\": \"%s\"}".formatted(signed()) : "{}";
    byte[] body = answer.getBytes(StandardCharsets.UTF_8);
    call.sendResponseHeaders(known ? 200 : 401, body.length);
    call.getResponseBody().write(body);
    call.close();
    given.addAndGet(known ? 1 : 0);
  }

  private String signed() throws IOException {
    String cert = Files.readString(directory.resolve("cert")).replaceAll("-----[^-]*-----|\\s", "");
    String head = "{\"typ\":\"JWT\",\"alg\":\"RS256\",\"x5c\":[\"%s\"]}".formatted(cert);
    long now = Instant.now().getEpochSecond();
    String claims =
        """
        {"iss":"issuer","sub":"user","aud":"layers","exp":%d,"nbf":%d,"iat":%d,"jti":"1",
         "access":[{"type":"repository","name":"some/layers","actions":["pull","push","delete"]}]}"""
            .formatted(now + 300, now - 10, now - 10);
    String text = encoded(head.getBytes(StandardCharsets.UTF_8));
    text += "." + encoded(claims.getBytes(StandardCharsets.UTF_8));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      byte[] key = Files.readAllBytes(directory.resolve("key.der"));
      signature.initSign(
          KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(key)));
      signature.update(text.getBytes(StandardCharsets.US_ASCII));
      return text + "." + encoded(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
