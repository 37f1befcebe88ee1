// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.sandgate.node.config.Capacity;
import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.Figures;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterGrouping;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.spi.Termination;
import dev.sandgate.tck.Eventually;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Meters of sandboxes whose backend always tells one millisecond and one mebibyte. */
class MeteringTest {

  private static final long CPU = 1_000;

  private TestNode node = TestNode.start(MeteringTest::often);

  private static NodeConfig often(NodeConfig config) {
    return TestNode.with(config, "node.metering-period-ms", "100");
  }

  @AfterEach
  void end() {
    node.close();
  }

  private Figures figures() {
    return new Figures(node.rpc());
  }

  private Box box(Map<String, String> labels) {
    return Box.of(node.rpc(), TestNode.spec().putAllLabels(labels).build());
  }

  private static ListMetersRequest.Builder by(MeterGrouping grouping) {
    return ListMetersRequest.newBuilder().setBy(grouping);
  }

  private static ListMetersRequest.Builder byLabel(String label) {
    return by(MeterGrouping.METER_GROUPING_LABEL).setLabel(label);
  }

  private Meter measured(Box box) {
    return Eventually.value("it is measured", () -> figures().of(box.id()), Meter::hasMeasuredAt);
  }

  private static void assertAddsUp(MeterPage page) {
    List<Meter> parts = new ArrayList<>(page.getMetersList());
    if (page.hasExpired()) {
      parts.add(page.getExpired());
    }
    for (FieldDescriptor field : Meter.getDescriptor().getFields()) {
      if (field.getJavaType() == FieldDescriptor.JavaType.LONG) {
        long sum = Figures.sum(parts, part -> (Long) part.getField(field));
        assertEquals(sum, page.getTotal().getField(field), () -> field.getName() + " of " + page);
      }
    }
  }

  @Test
  void shouldMakePartsThatAddUpToTheTotal() {
    for (int i = 0; i < 6; i++) {
      box(Map.of("rollout", "r" + i % 2, "job", "j"));
    }
    box(Map.of("rollout", "r0")).close();
    box(Map.of("rollout", "r1")).reset();
    Box paused = box(Map.of("rollout", "r2"));
    paused.pause();
    box(Map.of());
    Eventually.holds(
        "all are measured", () -> figures().total().getTotal().getCpuMicros() == 11 * CPU);
    for (String label : List.of("rollout", "job", "episode")) {
      assertAddsUp(figures().page(byLabel(label)));
    }
    for (MeterGrouping grouping :
        List.of(
            MeterGrouping.METER_GROUPING_UNSPECIFIED,
            MeterGrouping.METER_GROUPING_CLASS,
            MeterGrouping.METER_GROUPING_NODE)) {
      MeterPage page = figures().page(by(grouping));
      assertAddsUp(page);
      assertEquals(10, page.getTotal().getSandboxes());
      assertEquals(9, page.getTotal().getLiving());
      assertTrue(page.getTotal().getPausedMillis() > 0 && page.getTotal().getMemoryMibMillis() > 0);
    }
    assertEquals(List.of("", "r0", "r1", "r2"), keys(figures().all(byLabel("rollout"))));
  }

  private static List<String> keys(List<Meter> meters) {
    return meters.stream().map(Meter::getKey).toList();
  }

  @Test
  void shouldGiveEveryPartOncePageByPage() {
    List<String> expected = new ArrayList<>(List.of(""));
    box(Map.of());
    for (int i = 0; i < 7; i++) {
      box(Map.of("rollout", "r" + i));
      box(Map.of("rollout", "r" + i));
      expected.add("r" + i);
    }
    for (int size : List.of(1, 3, 8, 100)) {
      List<Meter> all = figures().all(byLabel("rollout").setPageSize(size));
      assertEquals(expected, keys(all));
      assertEquals(15, Figures.sum(all, Meter::getSandboxes));
    }
    List<Meter> each = figures().all(ListMetersRequest.newBuilder().setPageSize(4));
    assertEquals(15, each.stream().map(Meter::getKey).distinct().count());
  }

  @Test
  void shouldSelectByLabelsIdsAndLife() {
    Box one = box(Map.of("rollout", "r", "step", "1"));
    Box two = box(Map.of("rollout", "r", "step", "2"));
    two.close();
    ListMetersRequest.Builder ofRollout = ListMetersRequest.newBuilder().putLabels("rollout", "r");
    assertEquals(2, figures().page(ofRollout).getMetersCount());
    assertEquals(one.id(), figures().page(ofRollout.setLiving(true)).getMeters(0).getKey());
    assertEquals(1, figures().page(ofRollout.putLabels("step", "1")).getTotal().getSandboxes());
    MeterPage ended = figures().page(ListMetersRequest.newBuilder().addSandboxIds(two.id()));
    assertEquals(SandboxState.SANDBOX_STATE_TERMINATED, ended.getMeters(0).getState());
    assertFalse(ended.hasExpired(), "it is no part of what was asked for");
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    refused("label", byLabel(""));
    refused("page_token", ListMetersRequest.newBuilder().setPageToken("r1"));
    refused("page_size", ListMetersRequest.newBuilder().setPageSize(1_001));
    refused("by", ListMetersRequest.newBuilder().setByValue(99));
    ListMetersRequest.Builder many = ListMetersRequest.newBuilder();
    for (int i = 0; i < 101; i++) {
      many.addSandboxIds("sb-n1-x" + i);
    }
    refused("sandbox_ids", many);
    ListMetersRequest.Builder unknown = ListMetersRequest.newBuilder().addSandboxIds("sb-n1-none");
    assertEquals(GrpcStatus.NOT_FOUND, status(unknown));
  }

  private void refused(String field, ListMetersRequest.Builder request) {
    Failed failed = assertThrows(Failed.class, () -> figures().page(request));
    assertEquals(GrpcStatus.INVALID_ARGUMENT, failed.status(), failed::toString);
    assertTrue(String.valueOf(failed.getMessage()).contains(field), failed::toString);
  }

  private GrpcStatus status(ListMetersRequest.Builder request) {
    return assertThrows(Failed.class, () -> figures().page(request)).status();
  }

  @Test
  void shouldKeepWhatWasMeteredOverARestart() {
    Box living = box(Map.of());
    Box ended = box(Map.of());
    living.reset();
    measured(living);
    ended.close();
    Meter before = figures().of(ended.id());
    node.restart();
    assertEquals(before, figures().of(ended.id()));
    Meter after = measured(new Box(node.rpc(), living.id()));
    assertEquals(2 * CPU, after.getCpuMicros());
    assertEquals(0, figures().total().getTotal().getIncomplete());
  }

  @Test
  void shouldSayThatWhatALostSandboxUsedIsIncomplete() {
    Box box = box(Map.of());
    measured(box);
    node.stop();
    node.host().kill(box.id(), Termination.Reason.LOST);
    node.begin();
    node.node().adopted().join();
    Meter lost = figures().of(box.id());
    assertEquals(SandboxState.SANDBOX_STATE_FAILED, lost.getState());
    assertEquals(1, lost.getIncomplete());
    assertEquals(CPU, lost.getCpuMicros());
  }

  @Test
  void shouldKeepTheSumOfThoseWhoseRecordsAreGoneAndNothingElseOfThem() {
    node.close();
    Capacity now = new Capacity(100, 100, 100, 1 << 20, Duration.ZERO);
    node = TestNode.start(config -> TestNode.with(often(config), now));
    for (int i = 0; i < 3; i++) {
      box(Map.of()).close();
    }
    Box living = box(Map.of());
    measured(living);
    MeterPage all =
        Eventually.value(
            "their records are gone",
            () -> figures().total(),
            page -> page.getExpired().getSandboxes() == 3);
    assertAddsUp(all);
    assertEquals(4 * CPU, all.getTotal().getCpuMicros());
    node.restart();
    MeterPage after = figures().total();
    assertEquals(all.getExpired(), after.getExpired());
    assertEquals(4 * CPU, after.getTotal().getCpuMicros());
  }
}
