// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.node.support.Box;
import dev.sandgate.node.support.ContainerNode;
import dev.sandgate.node.support.Figures;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.ListMetersRequest;
import dev.sandgate.proto.v1.Meter;
import dev.sandgate.proto.v1.MeterGrouping;
import dev.sandgate.proto.v1.MeterPage;
import dev.sandgate.proto.v1.QosClass;
import dev.sandgate.proto.v1.SandboxSpec;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.tck.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Meters of containers beside what the kernel itself counted. Needs root. */
@Tag("root")
class ContainerMetersTest {

  private static final String BURN = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
  private static final String SPIN = "echo on; while :; do :; done";
  private static final String HOLD =
      "awk 'BEGIN { held = sprintf(\"x%67108863s\", \"y\"); print \"on\"; fflush(); getline go < \"/go\" }'";
  private static final double GIB_SECOND = 1_024_000;
  private static final long MIB = 1 << 20;

  private ContainerNode host;

  @BeforeEach
  void begin() {
    host =
        ContainerNode.configured(config -> TestNode.with(config, "node.metering-period-ms", "500"));
  }

  @AfterEach
  void end() {
    host.close();
  }

  private Figures figures() {
    return new Figures(host.rpc());
  }

  private Box box(SandboxSpec.Builder spec) {
    return Box.of(host.rpc(), spec.setEnvironment("busybox").setUser("root").build());
  }

  private Box box() {
    return box(SandboxSpec.newBuilder());
  }

  private Box box(QosClass qosClass, String rollout) {
    return box(SandboxSpec.newBuilder().setQosClass(qosClass).putLabels("rollout", rollout));
  }

  /** What the kernel counted for everything that ever ran below the node's cgroup, or below a class of it. */
  private long counted(String below) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
        if (line.contains(" - cgroup2 ")) {
          Path group = Path.of(line.split(" ", -1)[4], host.cgroup(), below, "cpu.stat");
          return Long.parseLong(Files.readAllLines(group).getFirst().split(" ", -1)[1]);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("no cgroup2 file system is mounted");
  }

  private static void assertNear(long expected, long found, double tolerance, String what) {
    assertTrue(
        Math.abs(expected - found) <= expected * tolerance,
        () -> what + ": %,d, and %,d were expected".formatted(found, expected));
  }

  @Test
  void shouldAddUpToWhatTheKernelCountedForTheNodeAndForEachClass() {
    Box ended = box(QosClass.QOS_CLASS_LATENCY_SENSITIVE, "r1");
    ended.says(BURN);
    ended.start("spins", SPIN).next();
    ended.close();
    Box reset = box(QosClass.QOS_CLASS_BEST_EFFORT, "r1");
    reset.says(BURN);
    reset.start("spins", SPIN).next();
    reset.reset();
    reset.says(BURN);
    Box paused = box(QosClass.QOS_CLASS_LATENCY_SENSITIVE, "r2");
    paused.says(BURN);
    paused.pause();
    List<String> living = List.of(reset.id(), paused.id());
    figures().page(ListMetersRequest.newBuilder().addAllSandboxIds(living));
    MeterPage page =
        figures().page(ListMetersRequest.newBuilder().setBy(MeterGrouping.METER_GROUPING_CLASS));
    assertEquals("best_effort", page.getMeters(0).getKey());
    assertNear(counted("be"), page.getMeters(0).getCpuMicros(), 0.02, "best effort");
    assertNear(counted("ls"), page.getMeters(1).getCpuMicros(), 0.02, "latency sensitive");
    assertNear(counted(""), page.getTotal().getCpuMicros(), 0.02, "the node");
    assertEquals(0, page.getTotal().getIncomplete());
    List<Meter> rollouts =
        figures()
            .all(
                ListMetersRequest.newBuilder()
                    .setBy(MeterGrouping.METER_GROUPING_LABEL)
                    .setLabel("rollout"));
    assertEquals(2, rollouts.size());
    assertNear(counted(""), Figures.sum(rollouts, Meter::getCpuMicros), 0.02, "the rollouts");
    reset.close();
    paused.close();
    assertNear(counted(""), figures().total().getTotal().getCpuMicros(), 0.01, "all ended");
  }

  @Test
  void shouldMeterMemoryOverTime() {
    try (Box box = box()) {
      box.start("holds", "mkfifo /go; exec " + HOLD).next();
      Eventually.holds("it is held", () -> box.get().getUsage().getMemoryBytes() > 64 * MIB);
      long bytes =
          Eventually.settles(
              "the memory", Duration.ofMillis(500), () -> box.get().getUsage().getMemoryBytes());
      Meter before = figures().of(box.id());
      LockSupport.parkNanos(Duration.ofSeconds(4).toNanos());
      Meter after = figures().of(box.id());
      long millis = after.getWallMillis() - before.getWallMillis();
      long mibMillis = after.getMemoryMibMillis() - before.getMemoryMibMillis();
      assertTrue(millis >= 4_000);
      assertNear(bytes * millis / MIB, mibMillis, 0.03, "memory");
      assertTrue(mibMillis / GIB_SECOND > 0.24, mibMillis + " MiB-ms");
    }
  }

  @Test
  void shouldCountPausesAndNoProcessorTimeInThem() {
    Box box = box();
    box.start("spins", SPIN).next();
    box.pause();
    Meter paused = figures().of(box.id());
    LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
    Meter later = figures().of(box.id());
    assertEquals(SandboxState.SANDBOX_STATE_PAUSED, later.getState());
    assertTrue(later.getCpuMicros() - paused.getCpuMicros() < 2_000, "it uses CPU time");
    assertTrue(later.getPausedMillis() - paused.getPausedMillis() >= 2_000, later::toString);
    assertTrue(later.getMemoryMibMillis() > paused.getMemoryMibMillis(), "what stays charged");
    box.resume();
    box.close();
    Meter ended = figures().of(box.id());
    assertTrue(ended.getPausedMillis() >= 2_000 && ended.getWallMillis() > ended.getPausedMillis());
  }

  @Test
  void shouldCountStorageOverAReset() {
    Box box = box();
    box.says(
        "(dd if=/dev/zero of=/a bs=1M count=4 2>/dev/null; touch /done) & :"); // its parent is gone
    Eventually.holds("it is written", () -> box.run("[ -e /done ]").getExitCode() == 0);
    box.reset();
    box.says("dd if=/dev/zero of=/b bs=1M count=3 2>/dev/null");
    box.close();
    Meter meter = figures().of(box.id());
    assertEquals(0, meter.getStorageUnmeasured());
    assertNear(7 * MIB, meter.getWrittenBytes(), 0.1, "written");
  }

  @Test
  void shouldMeterOneWhoseFirstProcessWasKilledToItsEnd() {
    Box box = box();
    box.says(BURN);
    long before = figures().of(box.id()).getCpuMicros();
    ProcessHandle.of(host.agents().getOrDefault(box.id(), 0L)).orElseThrow().destroyForcibly();
    Meter ended =
        Eventually.value(
            "its end is measured", () -> figures().of(box.id()), meter -> !meter.hasMeasuredAt());
    assertEquals(SandboxState.SANDBOX_STATE_FAILED, ended.getState());
    assertTrue(ended.getCpuMicros() >= before, ended::toString);
    assertNear(counted(""), ended.getCpuMicros(), 0.02, "the node");
  }
}
