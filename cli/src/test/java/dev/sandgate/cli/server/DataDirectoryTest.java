// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.proto.v1.Finding;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory whose file system holds no layers is found at once: needs root. */
class DataDirectoryTest {

  @TempDir private Path directory;
  private Path memory;

  @BeforeEach
  void mount() throws Exception {
    memory = Files.createDirectory(directory.resolve("memory"));
    tool("mount", "-t", "tmpfs", "-o", "size=16m", "memory", memory.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    tool("umount", memory.toString());
  }

  private static void tool(String... command) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
  }

  private static Finding finding(Path data) {
    return HostFacts.examine(data).stream()
        .filter(found -> found.getSubject().equals("layers"))
        .findFirst()
        .orElseThrow();
  }

  private static ServerConfig config(Path data, Map<String, String> settings) {
    HostPort any = new HostPort("127.0.0.1", 0);
    return new ServerConfig(
        data, any, new ServerConfig.NodePart("local", any, Optional.empty(), settings), List.of());
  }

  @Test
  void shouldNotComeUpWhereNoLayerCanBeMounted() throws IOException {
    Path data = memory.resolve("data");
    SandgateException refused =
        assertThrows(SandgateException.class, () -> Server.start(config(data, Map.of())).close());
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(data.toString()), message);
    assertTrue(message.contains("tmpfs") && message.contains("--data"), message);
    assertFalse(Files.exists(data.resolve("node")), "the node was begun");
    try (Stream<Path> left = Files.list(data)) {
      assertFalse(left.anyMatch(file -> file.toString().endsWith(".erofs")));
    }
  }

  @Test
  void shouldComeUpThereWithoutContainers() throws IOException {
    Map<String, String> without = Map.of("backend.container.enabled", "false");
    try (Server server = Server.start(config(memory.resolve("data"), without))) {
      assertTrue(server.nodePort() > 0);
    }
  }

  @Test
  void shouldShowToTheDoctorWhatADirectoryCanDo() {
    Finding bad = finding(memory.resolve("not/yet"));
    assertFalse(bad.getAvailable());
    assertTrue(bad.getRequired());
    assertTrue(bad.getDetail().contains(memory.toString()), bad.getDetail());
    assertFalse(Files.exists(memory.resolve("not")), "the doctor makes no data directory");
    Finding good = finding(directory);
    assertTrue(good.getAvailable(), good.getDetail());
  }
}
