// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.Limits;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What commands print. */
final class OutputTest {

  @Test
  void shouldLineUpColumnsAndCountColoursAsNothing() {
    List<String> lines =
        Table.format(
            List.of("ID", "STATE", "X"),
            List.of(List.of("a", "\u001b[32mUP\u001b[0m", "1"), List.of("long-id", "DOWN", "2")));

    assertEquals("ID       STATE  X", lines.get(0));
    assertEquals("a        \u001b[32mUP\u001b[0m     1", lines.get(1));
    assertEquals("long-id  DOWN   2", lines.get(2));
  }

  @Test
  void shouldGiveNumbersShortEnumsAndTimesInJson() {
    Sandbox sandbox =
        Sandbox.newBuilder()
            .setSandboxId("sb-a-1")
            .setState(SandboxState.SANDBOX_STATE_RUNNING)
            .setCreatedAt(Timestamp.newBuilder().setSeconds(1))
            .setSpec(
                SandboxSpec.newBuilder()
                    .setQosClass(QosClass.QOS_CLASS_BEST_EFFORT)
                    .putLabels("job", "7")
                    .setLimits(Limits.newBuilder().setMemoryBytes(1L << 40)))
            .build();

    assertEquals("RUNNING", Json.of(sandbox).get("state").textValue());
    assertEquals("BEST_EFFORT", Json.of(sandbox).at("/spec/qos_class").textValue());
    assertEquals(1L << 40, Json.of(sandbox).at("/spec/limits/memory_bytes").longValue());
    assertEquals("7", Json.of(sandbox).at("/spec/labels/job").textValue());
    assertEquals("1970-01-01T00:00:01Z", Json.of(sandbox).get("created_at").textValue());
    assertEquals(false, Json.of(sandbox).has("ended_at"));
  }

  @Test
  void shouldReadAndShowSizes() {
    assertEquals(512L << 20, Sizes.bytes("512m"));
    assertEquals(3L << 30, Sizes.bytes("3GiB"));
    assertEquals(65_536, Sizes.bytes("65536"));
    assertEquals("1.5 KiB", Sizes.show(1_536));
    assertEquals("17 B", Sizes.show(17));
    assertThrows(IllegalArgumentException.class, () -> Sizes.bytes("12x"));
    assertThrows(IllegalArgumentException.class, () -> Sizes.bytes("999999999999999t"));
  }

  @Test
  void shouldReadAndShowTimes() {
    assertEquals(Duration.ofMillis(500), Sizes.time("500ms"));
    assertEquals(Duration.ofDays(7), Sizes.time("7d"));
    assertEquals("2 m 5 s", Sizes.show(Duration.ofSeconds(125)));
    assertThrows(IllegalArgumentException.class, () -> Sizes.time("5 minutes"));
  }
}
