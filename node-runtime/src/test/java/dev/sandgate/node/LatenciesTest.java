// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static dev.sandgate.node.support.Ran.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Ran;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.Latency;
import dev.sandgate.proto.v1.ListNodesRequest;
import dev.sandgate.proto.v1.NodesGrpcClient;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.tck.fake.Faults.Point;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node tells about how long its work takes. */
class LatenciesTest {

  private static final long SLOW_MICROS = 300_000;

  private TestNode node;

  @BeforeEach
  void begin() {
    node = TestNode.start();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private List<Latency> all() {
    return node.rpc()
        .unary(NodesGrpcClient.List, ListNodesRequest.getDefaultInstance())
        .getNodes(0)
        .getLatenciesList();
  }

  private Latency look(String operation) {
    return all().stream()
        .filter(latency -> latency.getOperation().equals(operation))
        .findFirst()
        .orElseThrow();
  }

  private static void assertOneIsSlow(Latency latency, int count) {
    assertEquals(count, latency.getCount());
    assertTrue(
        latency.getP50Micros() > 0 && latency.getP50Micros() < SLOW_MICROS, latency::toString);
    assertTrue(latency.getP90Micros() >= latency.getP50Micros(), latency::toString);
    assertTrue(latency.getP99Micros() >= SLOW_MICROS, latency::toString);
    assertTrue(latency.getMaxMicros() >= latency.getP99Micros(), latency::toString);
    assertTrue(latency.getMaxMicros() < 30 * SLOW_MICROS, latency::toString);
  }

  @Test
  void shouldTellHowLongCreatesAndCommandsTookSinceItsStart() {
    all().forEach(latency -> assertEquals(0, latency.getCount()));
    String sandbox = node.create().getSandboxId();
    for (int i = 0; i < 9; i++) {
      node.create();
      Ran.of(node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "", "true")).rest());
    }
    node.host().faults().delay(Point.CREATE, Duration.ofMillis(300));
    node.host().faults().delay(Point.EXEC, Duration.ofMillis(300));
    assertEquals(10, look("create").getCount());
    node.create();
    Ran.of(node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "", "true")).rest());
    assertOneIsSlow(look("create"), 11);
    assertOneIsSlow(look("create_in_backend"), 11);
    assertOneIsSlow(look("exec_start"), 10);
    assertOneIsSlow(look("exec_total"), 10);
  }

  @Test
  void shouldNotCountWhatFailed() {
    String sandbox = node.create().getSandboxId();
    node.host().faults().fail(Point.CREATE, ErrorCode.INTERNAL);
    node.host().faults().fail(Point.EXEC, ErrorCode.EXEC_FAILED);
    assertThrows(Failed.class, () -> node.create());
    assertThrows(
        Failed.class,
        () -> node.rpc().stream(ExecsGrpcClient.Start, start(sandbox, "", "true")).rest());
    assertEquals(1, look("create").getCount());
    assertEquals(0, look("exec_start").getCount());
    assertEquals(0, look("exec_total").getCount());
  }
}
