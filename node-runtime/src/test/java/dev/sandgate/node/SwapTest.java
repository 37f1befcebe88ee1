// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.PauseSandboxResponse;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Swap that the node sets up. Needs root. */
@Tag("root")
class SwapTest {

  private static final String SETTING = "node.swap";
  private static final long MIB = 1L << 20;

  /** Holds 16 MiB until it is told to tell of them. */
  private static final String HOLD =
      "awk 'BEGIN { held = sprintf(\"x%16777215s\", \"y\"); print \"held\"; fflush();"
          + " getline go < \"/go\"; print length(held) substr(held, 1, 1) substr(held, 16777216) > \"/told\" }'";

  private static final String TELL =
      "echo go > /go; until [ -s /told ]; do sleep 0.05; done; cat /told";

  private static List<String> swaps() {
    try {
      return Files.readAllLines(Path.of("/proc/swaps")).stream()
          .skip(1)
          .map(line -> line.split("\\s", 2)[0])
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String added(List<String> before) {
    List<String> added = swaps().stream().filter(name -> !before.contains(name)).toList();
    assertEquals(1, added.size(), added::toString);
    return added.getFirst();
  }

  private static void assertGivenBack(PauseSandboxResponse paused) {
    assertTrue(paused.getMemoryBeforeBytes() > 16 * MIB, paused::toString);
    assertTrue(paused.getMemoryAfterBytes() < paused.getMemoryBeforeBytes() / 5, paused::toString);
  }

  private static void assertNothingLeft(TestNode node, List<String> before) {
    assertEquals(before, swaps());
    assertFalse(Files.exists(node.directory().resolve("swap")));
    assertFalse(Files.exists(node.directory().resolve("swap.area")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"zram:134217728", "file:67108864"})
  void shouldTakeMemoryOfPausedSandboxesAndGoWithTheLastOfThem(String wanted) {
    assumeTrue(
        wanted.startsWith("file") || Files.exists(Path.of("/sys/class/zram-control")),
        "the kernel has no zram");
    List<String> before = swaps();
    try (ContainerNode host =
        ContainerNode.configured(config -> TestNode.with(config, SETTING, wanted))) {
      String area = added(before);
      Box box = Box.of(host.rpc(), "busybox");
      try {
        box.says("mkfifo /go");
        box.start("holder", HOLD).next();
        Eventually.holds(
            "the memory is taken", () -> box.get().getUsage().getMemoryBytes() > 16 * MIB);
        assertGivenBack(box.pause());
        host.node().restart();
        assertEquals(area, added(before));
        Box back = new Box(host.rpc(), box.id());
        assertEquals("16777216xy", back.says(TELL));
      } finally {
        new Box(host.rpc(), box.id()).close();
      }
      host.node().stop();
      assertNothingLeft(host.node(), before);
      host.node().begin();
      assertEquals(before.size() + 1, swaps().size(), "it is there again");
    }
    assertEquals(before, swaps());
  }

  @Test
  void shouldTakeAwayWhatIsNotWantedAnyMore() {
    List<String> before = swaps();
    AtomicReference<String> wanted = new AtomicReference<>("file:8388608");
    try (TestNode node = TestNode.start(config -> TestNode.with(config, SETTING, wanted.get()))) {
      assertEquals(node.directory().resolve("swap").toString(), added(before));
      node.create();
      node.stop();
      assertEquals(before.size() + 1, swaps().size(), "a sandbox lives");
      wanted.set("");
      node.begin();
      assertEquals(before.size() + 1, swaps().size(), "its memory may be there");
      node.host().sandboxIds().forEach(id -> new Box(node.rpc(), id).close());
      node.restart();
      assertNothingLeft(node, before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"zram", "file:1", "disk:10000000", "zram:1g"})
  void shouldNameTheSettingThatIsWrong(String value) {
    SandgateException refused =
        assertThrows(
            SandgateException.class,
            () -> TestNode.start(config -> TestNode.with(config, SETTING, value)).close());
    assertEquals(ErrorCode.INVALID_CONFIG, refused.code());
    assertEquals(SETTING, refused.field());
  }
}
