// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Registry;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A repository of a registry as a storage of layers. */
class SharedRegistryStorageTest {

  private static final String HASH =
      "user:$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n";

  @TempDir private Path directory;

  private SharedRegistry storage(Registry registry, Optional<Path> auth) {
    return new SharedRegistry(
        new RegistryAddress("127.0.0.1:" + registry.port(), "some/layers"),
        auth,
        Duration.ofSeconds(5));
  }

  private LayerInfo layer(Path image, int seed) throws IOException {
    byte[] content = new byte[700_000];
    new Random(seed).nextBytes(content);
    Files.write(image, content);
    var all = SealedFile.sha256();
    all.update(content);
    return LayerInfo.newBuilder()
        .setDigest(SealedFile.named(all))
        .setSizeBytes(content.length)
        .build();
  }

  @Test
  void shouldKeepLayersAndNames() throws IOException {
    Path image = directory.resolve("image");
    LayerInfo layer = layer(image, 1);
    try (Registry registry = new Registry(directory.resolve("registry"));
        SharedRegistry storage = storage(registry, Optional.empty())) {
      assertEquals(List.of(), storage.names(new Access.Clock()));
      assertEquals(Optional.empty(), storage.find(layer.getDigest()));
      Sharing sharing = new Sharing(storage, new Access.Clock());
      assertEquals(700_000 + 4096, sharing.put(layer, image, Optional.empty()));
      assertEquals(0, sharing.put(layer, image, Optional.empty()));
      SharedLayer facts = storage.find(layer.getDigest()).orElseThrow();
      assertEquals(3 * 32, facts.getChunkDigests().size());
      assertEquals(layer, facts.getLayer());
      byte[] whole = Files.readAllBytes(image);
      assertArrayEquals(
          Arrays.copyOfRange(whole, 300_000, 300_500),
          storage.read(layer.getDigest(), 300_000, 500));
      assertThrows(IOException.class, () -> storage.read(layer.getDigest(), 699_999, 500));
      try (var metadata = storage.metadata(facts)) {
        assertArrayEquals(Arrays.copyOf(whole, 4096), metadata.readAllBytes());
      }
      names(storage, layer);
    }
  }

  private static void names(SharedRegistry storage, LayerInfo layer) throws IOException {
    Environment one =
        Environment.newBuilder().setName("a-t").setTag("v_1.0").addLayers(layer).build();
    assertTrue(storage.name(one, false));
    assertFalse(storage.name(one, false));
    Environment other = one.toBuilder().setDigest("other").build();
    assertTrue(storage.name(other, true));
    assertEquals(Optional.of(other), storage.environment("a-t:v_1.0"));
    assertEquals(List.of("a-t:v_1.0"), storage.names(new Access.Clock()));
    assertTrue(storage.unname("a-t:v_1.0"));
    assertFalse(storage.unname("a-t:v_1.0"));
    assertEquals(List.of(), storage.names(new Access.Clock()));
  }

  @Test
  void shouldPutNothingThereThatIsNotTheLayer() throws IOException {
    Path image = directory.resolve("image");
    LayerInfo layer = layer(image, 2);
    Path wrong = directory.resolve("wrong");
    layer(wrong, 3);
    try (Registry registry = new Registry(directory.resolve("registry"));
        SharedRegistry storage = storage(registry, Optional.empty())) {
      Sharing sharing = new Sharing(storage, new Access.Clock());
      SandgateException refused =
          assertThrows(SandgateException.class, () -> sharing.put(layer, wrong, Optional.empty()));
      assertTrue(String.valueOf(refused.getMessage()).contains(layer.getDigest()));
      assertFalse(Files.exists(registry.blob(layer.getDigest())));
      assertEquals(Optional.empty(), storage.find(layer.getDigest()));
    }
  }

  @Test
  void shouldGiveTheNameAndPasswordThatTheRegistryWants() throws IOException {
    Path passwords = Files.writeString(directory.resolve("passwords"), HASH);
    String auth = "auth: {htpasswd: {realm: layers, path: %s}}".formatted(passwords);
    Path image = directory.resolve("image");
    LayerInfo layer = layer(image, 4);
    try (Registry registry = new Registry(directory.resolve("registry"), auth);
        SharedRegistry without = storage(registry, Optional.empty());
        SharedRegistry wrong = storage(registry, Optional.of(login(registry, "guess")));
        SharedRegistry storage = storage(registry, Optional.of(login(registry, "secret")))) {
      IOException refused = assertThrows(IOException.class, () -> without.find(layer.getDigest()));
      assertTrue(String.valueOf(refused.getMessage()).contains("node.shared-layers-auth"));
      assertThrows(IOException.class, () -> wrong.find(layer.getDigest()));
      new Sharing(storage, new Access.Clock()).put(layer, image, Optional.empty());
      assertEquals(500, storage.read(layer.getDigest(), 0, 500).length);
    }
  }

  private Path login(Registry registry, String password) throws IOException {
    String secret =
        Base64.getEncoder().encodeToString(("user:" + password).getBytes(StandardCharsets.UTF_8));
    return Files.writeString(
        directory.resolve("auth-" + password),
        "{\"auths\": {\"127.0.0.1:%d\": {\"auth\": \"%s\"}}}".formatted(registry.port(), secret));
  }
}
