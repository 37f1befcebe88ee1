// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxPool.Counts;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.spawner.Blank;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.Spawner.Found;
import dev.sandgate.tck.Eventually;
import io.smallrye.mutiny.Uni;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blanks made ahead become sandboxes, for real: needs root. */
final class AheadTest {

  private static final Map<String, String> THREE =
      Map.of("probe-millis", "200", "pool.min", "3", "pool.max", "3");
  private static final Duration LONG = Duration.ofMinutes(2);

  private ContainerFixture fixture;

  private void open(Map<String, String> settings) throws Exception {
    fixture = new ContainerFixture(settings);
    adopt(List.of());
  }

  private List<Sandbox> adopt(List<SandboxSpec> known) {
    return fixture.backend.adopt(known).await().atMost(ContainerFixture.PATIENCE);
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
    assertFalse(Files.exists(fixture.directory), "something is left");
  }

  private Counts counts() {
    return fixture.backend.pool().orElseThrow().counts();
  }

  private void awaitFull() {
    Eventually.value(
        "the pool is full",
        ContainerFixture.PATIENCE,
        this::counts,
        counts -> counts.available() == counts.wanted() && counts.making() == 0);
  }

  private SandboxSpec spec(ResourceLimits limits) {
    return fixture.spec(limits, QosClass.BEST_EFFORT, List.of(fixture.layer));
  }

  private Sandbox create() {
    return fixture.create(spec(ContainerFixture.DEFAULTS));
  }

  private List<Found> found() {
    try (Spawner spawner = spawner()) {
      return spawner.list();
    }
  }

  private Spawner spawner() {
    return new Spawner(ContainerSettings.of(fixture.context).spawner());
  }

  private Set<String> blanks() {
    return found().stream()
        .filter(one -> one.id().startsWith("blank-"))
        .map(Found::name)
        .collect(Collectors.toSet());
  }

  private static void destroy(Sandbox sandbox) {
    sandbox.destroy().await().atMost(ContainerFixture.PATIENCE);
  }

  private static String says(Sandbox sandbox, String script) {
    return Finished.sh(sandbox, script).out().strip();
  }

  @Test
  void shouldMakeASandboxOfABlankThatWasThereBefore() throws Exception {
    open(THREE);
    awaitFull();
    Set<String> before = blanks();
    SandboxSpec spec = spec(ContainerFixture.DEFAULTS);
    Sandbox sandbox = fixture.create(spec);
    Found made =
        found().stream().filter(one -> one.id().equals(spec.id())).findFirst().orElseThrow();
    assertTrue(before.contains(made.name()), made::toString);
    assertEquals("hi there box", says(sandbox, "echo $GREETING $(hostname)"));
    assertEquals(1, counts().hits());
    assertTrue(counts().activationP50Micros() > 0, () -> counts().toString());
    destroy(sandbox);
    assertFalse(found().stream().anyMatch(one -> one.name().equals(made.name())));
    awaitFull();
    assertEquals(4, counts().made());
  }

  @Test
  void shouldMakeWhatIsBeyondAFixedPoolAnewAndNeverPoolIt() throws Exception {
    open(THREE);
    awaitFull();
    List<Uni<Sandbox>> asked =
        Stream.generate(() -> fixture.backend.create(spec(ContainerFixture.DEFAULTS)))
            .limit(12)
            .toList();
    List<Sandbox> sandboxes =
        Uni.join().all(asked).andFailFast().await().atMost(ContainerFixture.PATIENCE);
    Set<String> used =
        found().stream()
            .filter(one -> !one.id().startsWith("blank-"))
            .map(Found::name)
            .collect(Collectors.toSet());
    assertEquals(12, used.size());
    assertTrue(counts().misses() > 0 && counts().hits() > 0, () -> counts().toString());
    sandboxes.forEach(AheadTest::destroy);
    awaitFull();
    assertEquals(3, blanks().size());
    assertTrue(Collections.disjoint(used, blanks()));
  }

  @Test
  void shouldGiveItTheLimitsThatItAsksFor() throws Exception {
    open(THREE);
    awaitFull();
    Sandbox sandbox = fixture.create(spec(new ResourceLimits(500, 192L << 20, 77, 0, 0)));
    String pids = says(sandbox, "cd /sys/fs/cgroup; cat pids/pids.max 2>/dev/null || cat pids.max");
    assertEquals("77", pids);
    assertEquals("98304", says(sandbox, "df -k /dev/shm | tail -1 | awk '{print $2}'"));
    assertEquals(1, counts().hits());
    destroy(sandbox);
  }

  @Test
  void shouldLimitItsDisk() throws Exception {
    open(THREE);
    awaitFull();
    Sandbox sandbox = fixture.create(spec(new ResourceLimits(0, 0, 0, 8L << 20, 0)));
    assertEquals("full", says(sandbox, "head -c 20000000 /dev/zero > /x 2>/dev/null || echo full"));
    assertEquals(1, counts().hits());
    destroy(sandbox);
  }

  @Test
  void shouldMakeOneAnewWhenThePoolIsEmptyOrOff() throws Exception {
    open(Map.of("pool.max", "0"));
    Sandbox sandbox = create();
    assertEquals("1", says(sandbox, "echo 1"));
    assertEquals(Set.of(), blanks());
    assertEquals(0, counts().hits() + counts().misses());
    SandgateException refused = assertThrows(SandgateException.class, this::pooledOnly);
    assertEquals(ErrorCode.POOL_EXHAUSTED, refused.code());
    destroy(sandbox);
  }

  private Sandbox pooledOnly() {
    return fixture
        .backend
        .pool()
        .orElseThrow()
        .create(spec(ContainerFixture.DEFAULTS), LONG)
        .await()
        .atMost(LONG);
  }

  @Test
  void shouldWaitForOneWhenAskedTo() throws Exception {
    open(Map.of("pool.min", "0", "pool.max", "1"));
    List<Sandbox> made = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      made.add(pooledOnly());
    }
    assertTrue(
        found().stream().allMatch(one -> one.name().startsWith("blank-")),
        () -> found().toString());
    assertEquals(0, counts().timeouts());
    made.forEach(AheadTest::destroy);
  }

  @Test
  void shouldResetIntoAnotherBlank() throws Exception {
    open(THREE);
    awaitFull();
    Sandbox sandbox = create();
    says(sandbox, "echo x > /dev/shm/left; echo x > /left");
    awaitFull();
    sandbox.reset().await().atMost(ContainerFixture.PATIENCE);
    assertEquals("", says(sandbox, "ls /dev/shm; ls /left 2>/dev/null"));
    assertEquals(2, counts().hits());
    destroy(sandbox);
  }

  @Test
  void shouldTakeBackSandboxesAndRemoveBlanksAfterARestart() throws Exception {
    open(THREE);
    awaitFull();
    SandboxSpec spec = spec(ContainerFixture.DEFAULTS);
    says(fixture.create(spec), "echo kept > /file");
    fixture.reopen();
    try (Spawner spawner = spawner()) {
      spawner.create(new Blank("blank-left", true, 0, 0, 0));
    }
    List<Sandbox> adopted = adopt(List.of(spec, spec(ContainerFixture.DEFAULTS)));
    assertEquals(List.of(spec.id()), adopted.stream().map(Sandbox::id).toList());
    Sandbox sandbox = adopted.getFirst();
    assertEquals("kept", says(sandbox, "cat /file"));
    awaitFull();
    assertFalse(blanks().contains("blank-left"));
    assertTrue(sandbox.usage().await().atMost(LONG).processes() > 0);
    sandbox.reset().await().atMost(ContainerFixture.PATIENCE);
    assertEquals("", says(sandbox, "ls /file 2>/dev/null"));
    destroy(sandbox);
  }

  @Test
  void shouldReplaceABlankWhoseAgentDies() throws Exception {
    open(THREE);
    awaitFull();
    Found victim = found().getFirst();
    ProcessHandle.of(victim.pid()).orElseThrow().destroyForcibly();
    Eventually.value(
        "it is gone and replaced",
        ContainerFixture.PATIENCE,
        this::blanks,
        names -> !names.contains(victim.name()) && names.size() == 3);
    awaitFull();
    assertEquals(1, counts().dirty());
    assertEquals(4, counts().made());
    assertNotEquals(victim.name(), found().getFirst().name());
  }

  @Test
  void shouldMakeAnotherOneWhenABlankIsOfNoUse() throws Exception {
    open(Map.of("probe-millis", "200", "pool.min", "1", "pool.max", "1"));
    awaitFull();
    Found victim = found().getFirst();
    try (Spawner spawner = spawner()) {
      spawner.freeze(victim.name(), true); // it still seems to live when it is taken
      ProcessHandle.of(victim.pid()).orElseThrow().destroyForcibly();
      Sandbox sandbox = create();
      assertEquals("1", says(sandbox, "echo 1"));
      destroy(sandbox);
    }
    awaitFull();
    assertFalse(blanks().contains(victim.name()));
  }

  @Test
  void shouldGoOnWhenTheSpawnerIsKilled() throws Exception {
    open(THREE);
    awaitFull();
    Set<String> before = blanks();
    try (Spawner spawner = spawner()) {
      ProcessHandle process = ProcessHandle.of(spawner.info().pid()).orElseThrow();
      process.destroyForcibly();
      Eventually.holds("the spawner is gone", () -> !process.isAlive());
    }
    SandboxSpec spec = spec(ContainerFixture.DEFAULTS);
    Sandbox sandbox = fixture.create(spec);
    assertEquals("1", says(sandbox, "echo 1"));
    Found made =
        found().stream().filter(one -> one.id().equals(spec.id())).findFirst().orElseThrow();
    assertTrue(before.contains(made.name()), made::toString);
    destroy(sandbox);
  }

  @Test
  void shouldBalanceWhenAThousandCreatesFail() throws Exception {
    open(Map.of("pool.min", "8", "pool.max", "8"));
    awaitFull();
    Path garbage = Files.writeString(fixture.directory.resolve("garbage"), "no image");
    Layer broken = new Layer("sha256:" + "0".repeat(64), garbage);
    int failures = failing(1000, List.of(fixture.layer, broken));
    assertEquals(1000, failures);
    awaitFull();
    Counts counts = counts();
    assertEquals(1000, counts.hits() + counts.misses());
    assertEquals(counts.hits(), counts.dirty(), counts::toString);
    assertEquals(counts.made(), counts.hits() + counts.surplus() + counts.available());
    assertEquals(counts.available(), blanks().size());
    assertEquals(blanks().size(), found().size());
    try (Stream<Path> uppers = Files.list(fixture.directory.resolve("state/uppers"))) {
      List<String> left =
          uppers
              .map(path -> path.getFileName().toString())
              .filter(n -> n.startsWith("sb-"))
              .toList();
      assertEquals(List.of(), left);
    }
    Sandbox sandbox = create();
    assertEquals("1", says(sandbox, "echo 1"));
    destroy(sandbox);
  }

  private int failing(int count, List<Layer> layers) throws InterruptedException {
    Semaphore turns = new Semaphore(12);
    CountDownLatch done = new CountDownLatch(count);
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        turns.acquire();
        SandboxSpec spec = fixture.spec(ContainerFixture.DEFAULTS, QosClass.BEST_EFFORT, layers);
        threads.execute(
            () -> {
              try {
                fixture.create(spec);
              } catch (SandgateException e) {
                failures.add(e);
              } finally {
                turns.release();
                done.countDown();
              }
            });
      }
      done.await();
    }
    return failures.size();
  }

  @Test
  void shouldStayWithinItsMemory() throws Exception {
    long budget = 3L << 20;
    open(Map.of("pool.min", "20", "pool.max", "20", "pool.memory-bytes", Long.toString(budget)));
    Eventually.settles("what it holds", Duration.ofSeconds(1), () -> counts().available());
    Counts counts = counts();
    assertTrue(counts.memoryBytes() <= budget, counts::toString);
    assertTrue(counts.available() > 0 && counts.available() < 20, counts::toString);
    Eventually.holds("no others are there", () -> counts().available() == blanks().size());
  }

  @Test
  void shouldMakeBlanksOfAnOciRuntimeAheadToo() throws Exception {
    open(Map.of("provider", "oci", "pool.min", "1", "pool.max", "1"));
    awaitFull();
    Sandbox sandbox = create();
    assertEquals("box", says(sandbox, "hostname"));
    assertEquals(1, counts().hits());
    destroy(sandbox);
  }

  @Test
  void shouldLeaveNothingWhenItIsClosed() throws Exception {
    open(THREE);
    awaitFull();
    List<Found> blanks = found();
    fixture.backend.close();
    assertFalse(Files.exists(fixture.directory.resolve("r")), "the spawner's directory is left");
    for (Found blank : blanks) {
      assertTrue(ProcessHandle.of(blank.pid()).isEmpty(), blank::toString);
    }
    fixture.reopen(); // so that there is something to be closed
  }
}
