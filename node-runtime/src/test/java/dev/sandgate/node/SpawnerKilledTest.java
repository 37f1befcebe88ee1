// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.Snapshot;
import dev.sandgate.proto.v1.SnapshotsGrpcClient;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Snapshots whose spawner, or node, dies while it copies. Needs root. */
@Tag("root")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpawnerKilledTest {

  private ContainerNode host;

  @BeforeAll
  void begin() {
    host = new ContainerNode();
  }

  @AfterAll
  void end() {
    host.close();
  }

  private Path staging() {
    return host.node().directory().resolve("backends/container/uppers/.staging");
  }

  private List<Path> copies() {
    try (Stream<Path> all = Files.list(staging())) {
      return all.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldMakeTheSnapshotAllTheSameAndLetTheSandboxGoOn() {
    try (Box box = Box.of(host.rpc(), "busybox")) {
      box.says("dd if=/dev/urandom of=/big bs=1M count=300 2>/dev/null");
      Answers<?, Snapshot> sealing =
          host.rpc().stream(
              SnapshotsGrpcClient.Create,
              CreateSnapshotRequest.newBuilder().setSandboxId(box.id()).setName("big").build());
      Eventually.holds("it copies", () -> !copies().isEmpty());
      ProcessHandle.of(host.spawnerPid()).orElseThrow().destroyForcibly();
      assertEquals("big", sealing.only().getEnvironment().getName());
      assertEquals("alive", box.says("echo alive"));
      Eventually.holds("no copy is left", () -> copies().isEmpty());
    }
  }

  @Test
  void shouldRemoveCopiesThatAKilledNodeLeft() throws IOException {
    Path copy = Files.createDirectories(staging().resolve("s-0123456789abcdef"));
    Files.writeString(copy.resolve("big"), "x".repeat(1 << 20));
    Files.writeString(staging().resolve("s-0123456789abcdef.list"), "list");
    host.node().restart();
    Eventually.holds("they are gone", () -> copies().isEmpty());
    assertTrue(Files.isDirectory(staging()));
  }
}
