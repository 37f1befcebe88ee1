// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SnapshotLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Copies of what a sandbox wrote. */
interface SnapshotCases {

  SnapshotLimits NO_LIMITS = new SnapshotLimits(0, 0);

  Fixture fixture();

  private Sandbox subject() {
    fixture().assumeHas(Capability.DISK_SNAPSHOT);
    return fixture().fresh();
  }

  private Path within(DiskSnapshot snapshot, String name) {
    return snapshot.tree().resolve(fixture().scratch().substring(1)).resolve(name);
  }

  @Test
  default void shouldCopyWhatWasWrittenWhileProcessesGoOn() throws IOException {
    Sandbox sandbox = subject();
    String file = fixture().scratch() + "/written";
    Fixture.run(sandbox, Command.sh("echo 1 > " + file));
    Running busy = Fixture.start(sandbox, Command.of("yes"));
    try (DiskSnapshot snapshot = Waiting.on(sandbox.snapshot(NO_LIMITS))) {
      assertEquals("1\n", Files.readString(within(snapshot, "written")));
      assertTrue(snapshot.entries() > 0 && snapshot.bytes() >= 2);
      long now = busy.events().position().stdout();
      Eventually.holds("it goes on", () -> busy.events().position().stdout() > now);
      Fixture.run(sandbox, Command.sh("echo 2 > " + file));
      assertEquals("1\n", Files.readString(within(snapshot, "written")));
    }
    busy.kill();
  }

  @Test
  default void shouldKeepTheCopyUntilItIsClosed() {
    Sandbox sandbox = subject();
    DiskSnapshot snapshot = Waiting.on(sandbox.snapshot(NO_LIMITS));
    Waiting.on(sandbox.destroy());
    assertTrue(Files.isDirectory(snapshot.tree()));
    snapshot.close();
    assertFalse(Files.exists(snapshot.tree()));
    snapshot.close();
  }

  @Test
  default void shouldRefuseACopyOverItsLimits() {
    Sandbox sandbox = subject();
    String scratch = fixture().scratch();
    Fixture.run(
        sandbox, Command.sh("cd " + scratch + "; for i in 1 2 3 4 5; do echo 123 > $i; done"));
    assertEquals(
        ErrorCode.FAILED_PRECONDITION, Waiting.codeOf(sandbox.snapshot(new SnapshotLimits(10, 0))));
    assertEquals(
        ErrorCode.FAILED_PRECONDITION, Waiting.codeOf(sandbox.snapshot(new SnapshotLimits(0, 3))));
    assertEquals("on", Fixture.run(sandbox, Command.of("echo", "on")).line());
  }

  @Test
  default void shouldRefuseACopyOfWhatHasEnded() {
    Sandbox sandbox = subject();
    Waiting.on(sandbox.destroy());
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.snapshot(NO_LIMITS)));
  }

  @Test
  default void shouldLeaveNothingOfACancelledCopyAndGoOn() {
    Sandbox sandbox = subject();
    Path place = Path.of("");
    try (DiskSnapshot snapshot = Waiting.on(sandbox.snapshot(NO_LIMITS))) {
      place = snapshot.tree().resolveSibling("x");
    }
    Path copies = java.util.Objects.requireNonNull(place.getParent());
    List<CompletableFuture<Void>> closed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      closed.add(
          Waiting.left(sandbox.snapshot(NO_LIMITS), TimeUnit.MICROSECONDS.toNanos(i * 200L))
              .thenAcceptAsync(DiskSnapshot::close, Thread::startVirtualThread));
    }
    Eventually.holds("no copy is left", () -> isEmpty(copies));
    Waiting.noneFailed(closed);
    assertEquals("on", Fixture.run(sandbox, Command.of("echo", "on")).line());
  }

  private static boolean isEmpty(Path directory) {
    try (var entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
