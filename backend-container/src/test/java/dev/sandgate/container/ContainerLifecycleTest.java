// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Termination;
import dev.sandgate.support.spawner.Spawner;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ends, restarts and refusals of containers, for real: needs root. */
final class ContainerLifecycleTest {

  private ContainerFixture fixture;

  @BeforeEach
  void open() throws Exception {
    fixture = new ContainerFixture(Map.of("probe-millis", "200"));
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  private List<Spawner.Found> alive() {
    try (Spawner spawner = new Spawner(ContainerSettings.of(fixture.context).spawner())) {
      return spawner.list();
    }
  }

  private ErrorCode refused(SandboxSpec spec) {
    return assertThrows(SandgateException.class, () -> fixture.create(spec)).code();
  }

  @Test
  void shouldRefuseARootWhoseProcIsALink() throws Exception {
    Path root = Files.createDirectories(fixture.directory.resolve("evil"));
    for (String name : List.of("sys", "dev", "etc", "tmp")) {
      Files.createDirectories(root.resolve(name));
    }
    Files.createSymbolicLink(root.resolve("proc"), Path.of("../../hostproc"));
    Layer evil = BusyboxLayer.image(fixture.directory, root);
    SandboxSpec spec =
        fixture.spec(
            ContainerFixture.DEFAULTS, QosClass.LATENCY_SENSITIVE, List.of(fixture.layer, evil));
    assertEquals(ErrorCode.ROOTFS_UNSAFE, refused(spec));
    assertEquals(List.of(), alive());
  }

  @Test
  void shouldRefuseLayersThatAreNone() throws Exception {
    Path garbage = Files.writeString(fixture.directory.resolve("garbage"), "no image");
    Layer broken = new Layer("sha256:" + "0".repeat(64), garbage);
    SandboxSpec spec =
        fixture.spec(ContainerFixture.DEFAULTS, QosClass.BEST_EFFORT, List.of(broken));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused(spec));
    Layer absent = new Layer("sha256:" + "1".repeat(64), fixture.directory.resolve("absent"));
    assertEquals(
        ErrorCode.FAILED_PRECONDITION,
        refused(fixture.spec(ContainerFixture.DEFAULTS, QosClass.BEST_EFFORT, List.of(absent))));
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        refused(fixture.spec(ContainerFixture.DEFAULTS, QosClass.BEST_EFFORT, List.of())));
    assertEquals(List.of(), alive());
  }

  @Test
  void shouldStackLayers() throws Exception {
    Path upper = Files.createDirectories(fixture.directory.resolve("top/etc"));
    Files.writeString(upper.resolve("passwd"), "root:x:0:0:root:/:/bin/sh\n");
    Files.writeString(upper.resolve("motd"), "on top\n");
    Layer top = BusyboxLayer.image(fixture.directory, upper.getParent());
    Sandbox sandbox =
        fixture.create(
            fixture.spec(
                new ResourceLimits(500, 64 << 20, 32, 0, 100),
                QosClass.BEST_EFFORT,
                List.of(fixture.layer, top)));
    Finished seen = Finished.sh(sandbox, "cat /etc/motd; wc -l < /etc/passwd; ulimit -n");
    assertEquals("on top\n1\n100\n", seen.out());
    assertTrue(sandbox.usage().await().atMost(ContainerFixture.PATIENCE).processes() >= 1);
    destroy(sandbox);
  }

  private static void destroy(Sandbox sandbox) {
    sandbox.destroy().await().atMost(ContainerFixture.PATIENCE);
  }

  @Test
  void shouldRemoveWhatACancelledCreationMade() {
    List<Cancellable> creations = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      creations.add(
          fixture.backend.create(fixture.spec()).subscribe().with(ContainerLifecycleTest::destroy));
      LockSupport.parkNanos(i * 200_000L);
      creations.getLast().cancel();
    }
    await("nothing is left", () -> alive().isEmpty());
    await("no upper is left", () -> uppers() == 0);
  }

  private int uppers() {
    String[] names = fixture.context.stateDirectory().resolve("uppers").toFile().list();
    return names == null ? 0 : (int) Arrays.stream(names).filter(n -> !n.startsWith(".")).count();
  }

  @Test
  void shouldTakeBackSandboxesAndTheirCommandsAfterARestart() {
    SandboxSpec kept = fixture.spec();
    SandboxSpec dropped = fixture.spec();
    Finished.sh(fixture.create(kept), "echo state > /tmp/state");
    fixture.create(dropped);
    fixture.reopen();
    SandboxSpec never = fixture.spec();
    List<Sandbox> back =
        fixture.backend.adopt(List.of(kept, never)).await().atMost(ContainerFixture.PATIENCE);
    assertEquals(List.of(kept.id()), back.stream().map(Sandbox::id).toList());
    assertEquals(
        "state\nhi there\n", Finished.sh(back.getFirst(), "cat /tmp/state; echo $GREETING").out());
    assertEquals(List.of(kept.id()), alive().stream().map(Spawner.Found::id).toList());
    destroy(back.getFirst());
  }

  @Test
  void shouldEndWhenItsAgentIsKilledAndLeaveNothing() {
    Sandbox sandbox = fixture.create(fixture.spec());
    Uni<Termination> end = sandbox.terminated();
    int pid = alive().getFirst().pid();
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
    Termination why = end.await().atMost(ContainerFixture.PATIENCE);
    assertEquals(Termination.Reason.CHANNEL_LOST, why.reason());
    await("nothing is left", () -> alive().isEmpty());
    destroy(sandbox);
  }

  @Test
  void shouldGoOnOverNewConnectionsWhenTheSpawnerDied() {
    List<Uni<Sandbox>> many =
        IntStream.range(0, 8).mapToObj(i -> fixture.backend.create(fixture.spec())).toList();
    Uni.join().all(many).andFailFast().await().atMost(ContainerFixture.PATIENCE);
    try (Spawner spawner = new Spawner(ContainerSettings.of(fixture.context).spawner())) {
      ProcessHandle process = ProcessHandle.of(spawner.info().pid()).orElseThrow();
      process.destroyForcibly();
      process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
    assertEquals("on\n", Finished.sh(fixture.create(fixture.spec()), "echo on").out());
  }

  @Test
  void shouldStartANewSpawnerWhenTheOldOneDied() {
    Sandbox sandbox = fixture.create(fixture.spec());
    try (Spawner spawner = new Spawner(ContainerSettings.of(fixture.context).spawner())) {
      ProcessHandle process = ProcessHandle.of(spawner.info().pid()).orElseThrow();
      assertTrue(process.destroyForcibly());
    }
    assertEquals("alive\n", Finished.sh(sandbox, "echo alive").out());
    await(
        "a new spawner answers",
        () -> {
          try {
            return sandbox.usage().await().atMost(ContainerFixture.PATIENCE).processes() >= 1;
          } catch (SandgateException e) {
            assertEquals(ErrorCode.BACKEND_UNAVAILABLE, e.code());
            return false;
          }
        });
    destroy(sandbox);
    assertEquals(List.of(), alive());
  }

  @Test
  void shouldLeaveNoSpawnerWhenItClosesWithoutSandboxes() {
    Path run = ContainerSettings.of(fixture.context).spawner().run();
    destroy(fixture.create(fixture.spec()));
    assertTrue(Files.exists(run.resolve("spawner.sock")));
    fixture.reopen();
    assertTrue(Files.notExists(run));
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + ContainerFixture.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "never happened: " + what);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
