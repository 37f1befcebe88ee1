// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static dev.sandgate.container.ContainerFixture.PATIENCE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.Probe.Finding;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.spi.Usage;
import dev.sandgate.tck.Eventually;
import io.smallrye.mutiny.subscription.Cancellable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of disk, met by who writes: needs root and loop devices. */
final class DiskLimitsTest {

  private static final long MEBIBYTE = 1L << 20;

  private static ContainerFixture fixture;

  @BeforeAll
  static void open() throws Exception {
    fixture = new ContainerFixture(Map.of());
  }

  @AfterAll
  static void close() throws IOException {
    fixture.close();
  }

  private static SandboxSpec spec(long diskBytes, long inodes) {
    return fixture.spec(
        new ResourceLimits(0, 0, 0, diskBytes, 0, inodes),
        QosClass.BEST_EFFORT,
        List.of(fixture.layer));
  }

  private static void destroy(Sandbox sandbox) {
    sandbox.destroy().await().atMost(PATIENCE);
  }

  private static Usage usage(Sandbox sandbox) {
    return sandbox.usage().await().atMost(PATIENCE);
  }

  private static Path upper(SandboxSpec spec) {
    return fixture.context.stateDirectory().resolve("uppers").resolve(spec.id());
  }

  private static String image(SandboxSpec spec) throws IOException {
    return String.valueOf(Files.getAttribute(upper(spec).resolve("image"), "unix:ino"));
  }

  private static Optional<String> imageIfThere(SandboxSpec spec) throws IOException {
    try {
      return Optional.of(image(spec));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Inodes of files on loop devices, removed ones included. */
  private static Set<String> onDevices() throws Exception {
    return BusyboxLayer.tool("losetup", "-nl", "-O", "BACK-INO")
        .lines()
        .map(String::strip)
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 50, 300})
  void shouldGiveTheWriterNoSpaceAtTheLimit(long mebibytes) {
    Sandbox sandbox = fixture.create(spec(mebibytes * MEBIBYTE, 0));
    Finished full = Finished.sh(sandbox, "dd if=/dev/zero of=/tmp/big bs=64k count=999999");
    assertTrue(full.err().contains("No space left on device"), full::toString);
    long size = Long.parseLong(Finished.sh(sandbox, "stat -c %s /tmp/big").out().strip());
    long off = Math.abs(size - mebibytes * MEBIBYTE);
    assertTrue(off <= mebibytes * MEBIBYTE / 100 + 65_536, () -> "off by " + off);
    assertEquals(0, Finished.sh(sandbox, "rm /tmp/big; echo fits > /tmp/small").code());
    destroy(sandbox);
  }

  @Test
  void shouldMakeNoMoreFilesThanTheLimit() {
    Sandbox sandbox = fixture.create(spec(50 * MEBIBYTE, 500));
    String count = "cd /work; i=0; while echo -n 2>/dev/null > $i; do i=$((i+1)); done; echo $i";
    long made = Long.parseLong(Finished.sh(sandbox, count).out().strip());
    assertTrue(made >= 500 - 1 && made <= 500 + 16, () -> made + " files");
    assertTrue(usage(sandbox).inodes() >= made);
    assertNotEquals(0, Finished.sh(sandbox, "echo > /tmp/more").code());
    assertEquals(0, Finished.sh(sandbox, "rm /work/*; echo > /tmp/more").code());
    destroy(sandbox);
  }

  @Test
  void shouldTakeTheRoomAtOnceUnlessToldOtherwise() throws Exception {
    SandboxSpec reserved = spec(20 * MEBIBYTE, 0);
    Sandbox sandbox = fixture.create(reserved);
    assertTrue(taken(fixture, reserved) >= 20 * MEBIBYTE);
    destroy(sandbox);
    try (ContainerFixture sparse = new ContainerFixture(Map.of("disk-reserved", "false"))) {
      SandboxSpec overcommitted =
          sparse.spec(
              new ResourceLimits(0, 0, 0, 20 * MEBIBYTE, 0),
              QosClass.BEST_EFFORT,
              List.of(sparse.layer));
      Sandbox loose = sparse.create(overcommitted);
      assertTrue(taken(sparse, overcommitted) < MEBIBYTE);
      destroy(loose);
    }
  }

  private static long taken(ContainerFixture where, SandboxSpec spec) throws Exception {
    Path image = where.context.stateDirectory().resolve("uppers").resolve(spec.id() + "/image");
    return 512 * Long.parseLong(BusyboxLayer.tool("stat", "-c", "%b", image.toString()).strip());
  }

  @Test
  void shouldTellExactlyWhatIsWritten() {
    Sandbox sandbox = fixture.create(spec(50 * MEBIBYTE, 0));
    assertEquals(0, usage(sandbox).diskBytes());
    assertEquals(0, usage(sandbox).inodes());
    Finished.sh(
        sandbox, "mkdir /a; head -c 10485760 /dev/zero > /a/b; truncate -s 1073741824 /a/c; sync");
    Usage used = usage(sandbox);
    assertEquals(3, used.inodes());
    assertTrue(
        used.diskBytes() >= 10 * MEBIBYTE && used.diskBytes() <= 10 * MEBIBYTE + 65_536,
        used::toString);
    destroy(sandbox);
    Sandbox plain = fixture.create(fixture.spec());
    assertEquals(Usage.UNKNOWN, usage(plain).diskBytes());
    destroy(plain);
  }

  @Test
  void shouldResetToAnEmptyUpperOfTheSameLimit() {
    Sandbox sandbox = fixture.create(spec(20 * MEBIBYTE, 0));
    String fill = "dd if=/dev/zero of=/work/big bs=1M count=30";
    assertTrue(Finished.sh(sandbox, fill).err().contains("No space left"));
    sandbox.reset().await().atMost(PATIENCE);
    assertEquals(0, usage(sandbox).diskBytes());
    assertEquals("", Finished.sh(sandbox, "ls /work").out());
    assertTrue(Finished.sh(sandbox, fill).err().contains("No space left"));
    destroy(sandbox);
  }

  @Test
  void shouldCopyWhatALimitedSandboxWrote() throws Exception {
    Sandbox sandbox = fixture.create(spec(20 * MEBIBYTE, 0));
    Finished.sh(sandbox, "echo kept > /work/file; ln /work/file /work/same; rm /etc/group");
    DiskSnapshot copy = sandbox.snapshot(new SnapshotLimits(0, 0)).await().atMost(PATIENCE);
    assertEquals("kept\n", Files.readString(copy.tree().resolve("work/file")));
    assertEquals(2, (int) Files.getAttribute(copy.tree().resolve("work/same"), "unix:nlink"));
    assertTrue(Files.exists(copy.tree().resolve("etc/group")), "the whiteout");
    copy.close();
    assertEquals(
        3,
        sandbox
            .changes()
            .select()
            .where(change -> !change.path().equals("/work"))
            .collect()
            .asList()
            .await()
            .atMost(PATIENCE)
            .size());
    destroy(sandbox);
  }

  @Test
  void shouldKeepTheLimitOverARestartAndRemoveWhatNobodyKnows() throws Exception {
    SandboxSpec kept = spec(20 * MEBIBYTE, 0);
    SandboxSpec dropped = spec(20 * MEBIBYTE, 0);
    Finished.sh(fixture.create(kept), "echo state > /work/state");
    fixture.create(dropped);
    Set<String> images = Set.of(image(kept), image(dropped));
    assertTrue(onDevices().containsAll(images));
    fixture.reopen();
    List<Sandbox> back = fixture.backend.adopt(List.of(kept)).await().atMost(PATIENCE);
    Sandbox sandbox = back.getFirst();
    Finished full = Finished.sh(sandbox, "cat /work/state; dd if=/dev/zero of=/x bs=1M count=30");
    assertTrue(full.err().contains("No space left"), full::toString);
    assertEquals("state\n", full.out());
    assertTrue(usage(sandbox).diskBytes() > 19 * MEBIBYTE);
    destroy(sandbox);
    Eventually.holds("devices are free", () -> images.stream().noneMatch(devices()::contains));
    assertTrue(Files.notExists(upper(kept)) && Files.notExists(upper(dropped)));
  }

  private static Set<String> devices() {
    try {
      return onDevices();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldLeaveNothingOfACancelledCreation() throws Exception {
    Set<String> images = new HashSet<>();
    List<SandboxSpec> specs = new ArrayList<>();
    List<Cancellable> creations = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      SandboxSpec spec = spec(20 * MEBIBYTE, 0);
      specs.add(spec);
      creations.add(fixture.backend.create(spec).subscribe().with(DiskLimitsTest::destroy));
      LockSupport.parkNanos(i * 1_000_000L);
      imageIfThere(spec).ifPresent(images::add);
      creations.getLast().cancel();
    }
    Eventually.holds(
        "no upper is left", () -> specs.stream().noneMatch(spec -> Files.exists(upper(spec))));
    Eventually.holds("devices are free", () -> images.stream().noneMatch(devices()::contains));
  }

  @ParameterizedTest
  @CsvSource({
    "limits.disk_bytes, 4096, 0",
    "limits.disk_bytes, 1000000000000000, 0",
    "limits.inodes, 0, 100",
    "limits.inodes, 1048576, 5000",
    "limits.inodes, 1073741824, 300000"
  })
  void shouldNameTheFieldThatCannotBe(String field, long diskBytes, long inodes) {
    SandgateException refused =
        assertThrows(SandgateException.class, () -> fixture.create(spec(diskBytes, inodes)));
    assertEquals(field, refused.field(), refused.getMessage());
  }

  @Test
  void shouldSayInItsProbeHowDiskIsLimited() {
    Finding finding =
        fixture.backend.probe().findings().stream()
            .filter(found -> found.subject().equals("disk limits"))
            .findFirst()
            .orElseThrow();
    assertTrue(finding.available(), finding::toString);
    assertTrue(finding.detail().contains("loop device"), finding::toString);
    assertTrue(finding.detail().contains("Not by project quota: "), finding::toString);
  }
}
