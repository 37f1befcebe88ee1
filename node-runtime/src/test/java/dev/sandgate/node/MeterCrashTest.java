// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.Figures;
import dev.sandgate.node.support.NodeProcess;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.EnvironmentsGrpcClient;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.SpawnerSettings;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Meters of a node that is killed: what is known is kept, what is missing is told. Needs root. */
@Tag("root")
class MeterCrashTest {

  private static final String BURN = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

  private final String mark = UUID.randomUUID().toString().substring(0, 8);
  private NodeProcess.Places places;
  private NodeProcess node;

  @BeforeEach
  void begin() throws IOException {
    places = NodeProcess.Places.of(mark);
    node = NodeProcess.start(places, "");
    node.rpc().stream(
            EnvironmentsGrpcClient.ImportEnvironment,
            ImportEnvironmentRequest.newBuilder().setName("busybox").setBuiltin("busybox").build())
        .rest();
  }

  @AfterEach
  void end() throws IOException {
    node.close();
    try (Spawner spawner = spawner()) {
      spawner.list().forEach(found -> spawner.destroy(found.name(), "uppers/" + found.id()));
      spawner.stop();
    }
    TestNode.delete(places.run());
    TestNode.delete(places.data());
  }

  private Spawner spawner() {
    Path binaries = Path.of(Objects.requireNonNull(System.getProperty("sandgate.native")));
    return new Spawner(
        new SpawnerSettings(
            binaries.resolve("spawner"),
            binaries.resolve("agent"),
            places.run(),
            places.data().resolve("backends/container"),
            100_000,
            places.cgroup()));
  }

  private Meter of(Box box) {
    return new Figures(node.rpc()).of(box.id());
  }

  /** One that is measured while it lives, and recorded for the first time. */
  private Box busy() {
    Box box = Box.of(node.rpc(), "busybox");
    box.says(BURN);
    Eventually.holds("it is old enough to be recorded", () -> of(box).getWallMillis() > 1_500);
    return box;
  }

  private void killed() throws IOException {
    node.kill();
    node.close();
  }

  private Box again(Box box) throws IOException {
    node = NodeProcess.start(places, "");
    return new Box(node.rpc(), box.id());
  }

  @Test
  void shouldLoseNothingOfASandboxThatLivesOn() throws IOException {
    Box box = busy();
    Meter before = of(box);
    killed();
    Box after = again(box);
    Meter meter = of(after);
    assertTrue(meter.getCpuMicros() >= before.getCpuMicros(), meter::toString);
    assertTrue(meter.getWrittenBytes() >= before.getWrittenBytes(), meter::toString);
    assertTrue(meter.getMemoryMibMillis() >= before.getMemoryMibMillis(), meter::toString);
    assertEquals(0, meter.getIncomplete());
    after.close();
    assertEquals(0, of(after).getIncomplete());
  }

  @Test
  void shouldSayThatAnEndIsMissingThatTheNodeDidNotSee() throws IOException {
    Box box = busy();
    killed();
    try (Spawner spawner = spawner()) {
      spawner.list().forEach(found -> spawner.destroy(found.name(), "uppers/" + found.id()));
    }
    Meter meter = of(again(box));
    assertEquals(SandboxState.SANDBOX_STATE_FAILED, meter.getState());
    assertEquals(1, meter.getIncomplete());
    assertTrue(meter.getCpuMicros() > 100_000, meter::toString);
  }

  @Test
  void shouldSayThatAResetIsMissingThatWasNotRecorded() throws IOException {
    Box box = busy();
    node.close();
    node = NodeProcess.start(places, "after-reset");
    Box dying = new Box(node.rpc(), box.id());
    assertThrows(RuntimeException.class, dying::reset);
    node.ended();
    node.close();
    Box after = again(box);
    Meter meter = of(after);
    assertEquals(1, meter.getIncomplete());
    assertTrue(meter.getCpuMicros() > 100_000, meter::toString);
    after.close();
    assertEquals(1, of(after).getIncomplete());
  }
}
