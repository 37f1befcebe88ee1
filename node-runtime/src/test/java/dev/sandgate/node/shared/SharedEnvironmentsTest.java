// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Registry;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of a shared storage of which some are damaged. */
class SharedEnvironmentsTest {

  private static final Environment WHOLE = environment("whole");

  @TempDir private Path directory;

  private static Environment environment(String name) {
    return Environment.newBuilder().setName(name).setTag("v1").setDigest("sha256:" + name).build();
  }

  private static void flip(Path file) throws IOException {
    byte[] content = Files.readAllBytes(file);
    content[content.length - 1] ^= 1;
    Files.write(file, content);
  }

  private static void tellsOfTheDamagedAndHidesNoOther(SharedStorage storage) {
    try (Access access = new Access("the place", Duration.ofSeconds(5))) {
      SharedEnvironments names = new SharedEnvironments(storage, access);
      SharedEnvironments.Listed all = names.all();
      assertEquals(List.of(WHOLE), all.whole());
      assertEquals(Set.of("flipped:v1", "moved:v1"), all.damaged().keySet());
      assertEquals(Optional.of(WHOLE), names.find("whole:v1"));
      assertEquals(Optional.of(WHOLE), names.find("whole", "sha256:whole"));
      assertEquals(Optional.empty(), names.find("other", "sha256:whole"));
      for (String name : all.damaged().keySet()) {
        String[] key = name.split(":", 2);
        refused(name, () -> names.find(name));
        refused(name, () -> names.find(key[0], "sha256:any"));
      }
      SandgateException unknown = assertThrows(SandgateException.class, names::allOrNone);
      assertEquals(ErrorCode.LAYERS_UNAVAILABLE, unknown.code(), "what they need is not known");
    }
  }

  private static void refused(String name, Runnable find) {
    SandgateException damaged = assertThrows(SandgateException.class, find::run);
    assertEquals(ErrorCode.FAILED_PRECONDITION, damaged.code());
    assertTrue(String.valueOf(damaged.getMessage()).contains(name), damaged.getMessage());
  }

  @Test
  void shouldTellOfTheDamagedInADirectoryAndHideNoOther() throws IOException {
    SharedDirectory storage = new SharedDirectory(directory);
    storage.name(WHOLE, false);
    storage.name(environment("flipped"), false);
    flip(directory.resolve("environments/flipped:v1"));
    Files.copy(
        directory.resolve("environments/whole:v1"), directory.resolve("environments/moved:v1"));
    tellsOfTheDamagedAndHidesNoOther(storage);
    storage.name(environment("moved"), true);
    assertTrue(storage.unname("flipped:v1"));
    assertEquals(Optional.of(environment("moved")), storage.environment("moved:v1"));
  }

  @Test
  void shouldTellOfTheDamagedInARegistryAndHideNoOther() throws IOException {
    try (Registry registry = new Registry(directory.resolve("registry"))) {
      RegistryAddress place = new RegistryAddress("127.0.0.1:" + registry.port(), "some/layers");
      Duration patience = Duration.ofSeconds(5);
      try (SharedRegistry storage = new SharedRegistry(place, Optional.empty(), patience);
          RegistryClient client = new RegistryClient(place, Optional.empty(), patience)) {
        storage.name(WHOLE, false);
        storage.name(environment("flipped"), false);
        RegistryTags tags = new RegistryTags(client);
        tags.put("NmovedTv1", manifest(tags, "NwholeTv1"));
        flip(registry.blob(manifest(tags, "NflippedTv1").config().digest()));
        tellsOfTheDamagedAndHidesNoOther(storage);
      }
    }
  }

  private static RegistryManifest manifest(RegistryTags tags, String tag) throws IOException {
    return tags.read(tag, RegistryManifest.ENVIRONMENT).orElseThrow();
  }
}
