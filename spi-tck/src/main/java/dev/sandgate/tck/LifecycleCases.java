// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.spi.Termination;
import dev.sandgate.spi.Usage;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Create, destroy, terminated, usage, and the refusal of what is not declared. */
interface LifecycleCases {

  /** What the suite has cases for; the others are declared only once it has. */
  Set<Capability> COVERED =
      EnumSet.of(
          Capability.TERMINAL,
          Capability.FILES,
          Capability.ARCHIVES,
          Capability.WATCH,
          Capability.CHANGES,
          Capability.CONNECT,
          Capability.LAYERS,
          Capability.PARTIAL_LAYERS,
          Capability.LIMITS,
          Capability.CLASSES,
          Capability.ADOPT,
          Capability.PAUSE,
          Capability.RESET,
          Capability.DISK_SNAPSHOT,
          Capability.SESSIONS);

  Fixture fixture();

  @Test
  default void shouldHaveAValidNameAndConstantAnswers() {
    String name = fixture().subject().provider().get().name();
    assertTrue(name.matches("[a-z0-9-]{1,32}"), name);
    assertEquals(fixture().backend().capabilities(), fixture().backend().capabilities());
    assertEquals(fixture().backend().isolation(), fixture().backend().isolation());
  }

  @Test
  default void shouldDeclareOnlyWhatTheSuiteCovers() {
    Set<Capability> untested = EnumSet.noneOf(Capability.class);
    untested.addAll(fixture().backend().capabilities());
    untested.removeAll(COVERED);
    assertTrue(untested.isEmpty(), () -> "no cases for " + untested);
  }

  @Test
  default void shouldProbeTheSameTwice() {
    assertTrue(fixture().backend().probe().available());
    assertFalse(fixture().backend().probe().findings().isEmpty());
  }

  @Test
  default void shouldKeepTheIdAndAnswerAnExec() {
    var spec = fixture().newSpec();
    Sandbox sandbox = fixture().fresh(spec);
    assertEquals(spec.id(), sandbox.id());
    assertEquals("hi", Fixture.run(sandbox, Command.of("echo", "hi")).line());
  }

  @Test
  default void shouldDestroyTwiceAndAtOnce() {
    Sandbox sandbox = fixture().fresh();
    Uni<Void> both =
        Uni.join().all(sandbox.destroy(), sandbox.destroy()).andFailFast().replaceWithVoid();
    Waiting.on(both);
    Waiting.on(sandbox.destroy());
  }

  @Test
  default void shouldTellEveryListenerThatItWasDestroyed() {
    Sandbox sandbox = fixture().fresh();
    CompletableFuture<Termination> early = sandbox.terminated().subscribeAsCompletionStage();
    assertFalse(early.isDone());
    Waiting.on(sandbox.destroy());
    assertEquals(Termination.Reason.DESTROYED, Waiting.on(early).reason());
    assertEquals(Termination.Reason.DESTROYED, Waiting.on(sandbox.terminated()).reason());
  }

  @Test
  default void shouldFailEveryCallAfterDestroy() {
    Sandbox sandbox = fixture().fresh();
    Waiting.on(sandbox.destroy());
    assertEquals(
        ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.exec(Command.of("echo", "x").spec())));
    assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.usage()));
    if (fixture().has(Capability.FILES)) {
      assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.files().stat("", "/")));
    }
    if (fixture().has(Capability.CONNECT)) {
      assertEquals(ErrorCode.SANDBOX_LOST, Waiting.codeOf(sandbox.connect(1)));
    }
  }

  @Test
  default void shouldDestroyAlthoughTheCallerCancels() {
    Sandbox sandbox = fixture().fresh();
    Fixture.start(sandbox, Command.of("sleep", "1000"));
    sandbox.destroy().subscribeAsCompletionStage().cancel(true);
    assertEquals(Termination.Reason.DESTROYED, Waiting.on(sandbox.terminated()).reason());
  }

  @Test
  default void shouldDestroyASandboxFullOfSleepers() {
    Sandbox sandbox = fixture().fresh();
    int sleepers = 100;
    List<Uni<Void>> starts = new ArrayList<>();
    for (int i = 0; i < sleepers; i++) {
      starts.add(sandbox.exec(Command.of("sleep", "86400").spec()).replaceWithVoid());
    }
    Waiting.on(Uni.join().all(starts).andFailFast().replaceWithVoid());
    assertTrue(Waiting.on(sandbox.usage()).processes() >= sleepers);
    Waiting.on(sandbox.destroy(), Duration.ofSeconds(10));
  }

  @Test
  default void shouldLeaveNothingOfACancelledCreate() {
    List<CompletableFuture<Sandbox>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(Waiting.left(fixture().backend().create(fixture().newSpec()), i * 250_000L));
    }
    assertEquals("ok", Fixture.run(fixture().fresh(), Command.of("echo", "ok")).line());
    all.stream().filter(CompletableFuture::isDone).forEach(it -> fixture().owned(it.join()));
  }

  @Test
  default void shouldRunFiftySandboxesAtOnce() {
    List<Uni<Sandbox>> creations = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      creations.add(fixture().backend().create(fixture().newSpec()));
    }
    List<Sandbox> all = Waiting.on(Uni.join().all(creations).andFailFast());
    all.forEach(fixture()::owned);
    List<Running> running = new ArrayList<>();
    for (Sandbox sandbox : all) {
      running.add(Fixture.start(sandbox, Command.of("echo", sandbox.id())));
    }
    for (int i = 0; i < all.size(); i++) {
      assertEquals(all.get(i).id(), running.get(i).result().line());
    }
  }

  @Test
  default void shouldReportPlausibleUsage() {
    Sandbox sandbox = fixture().fresh();
    Usage idle = Waiting.on(sandbox.usage());
    Running sleeper = Fixture.start(sandbox, Command.of("sleep", "1000"));
    Usage busy = Waiting.on(sandbox.usage());
    assertEquals(idle.processes() + 1, busy.processes());
    assertTrue(busy.cpu().compareTo(idle.cpu()) >= 0, () -> idle + " then " + busy);
    assertTrue(busy.memoryBytes() > 0, busy::toString);
    sleeper.kill();
    Fixture.awaitProcesses(sandbox, idle.processes());
  }

  @Test
  default void shouldTellNoLessAtTheEndThanBefore() {
    Sandbox sandbox = fixture().fresh();
    Fixture.run(sandbox, Command.of("echo", "hi"));
    Usage before = Waiting.on(sandbox.usage());
    assertTrue(sandbox.lastUsage().isEmpty(), "it lives");
    Waiting.on(sandbox.destroy());
    sandbox
        .lastUsage()
        .ifPresent(
            last ->
                assertTrue(
                    last.cpu().compareTo(before.cpu()) >= 0, () -> before + " then " + last));
  }

  @Test
  default void shouldTellAtAResetWhatWasUsedUntilThenAndNothingOfItLater() {
    fixture().assumeHas(Capability.RESET);
    Sandbox sandbox = fixture().fresh();
    Fixture.run(sandbox, Command.of("echo", "hi"));
    Usage before = Waiting.on(sandbox.usage());
    Waiting.on(sandbox.reset())
        .ifPresent(used -> assertTrue(used.cpu().compareTo(before.cpu()) >= 0, used::toString));
    assertTrue(sandbox.lastUsage().isEmpty(), "it lives");
  }

  @Test
  default void shouldRefuseWhatIsNotDeclared() {
    Sandbox sandbox = fixture().shared();
    refused(Capability.PAUSE, sandbox.pause());
    refused(Capability.PAUSE, sandbox.resume());
    refused(Capability.RESET, sandbox.reset());
    refused(Capability.DISK_SNAPSHOT, sandbox.snapshot(new SnapshotLimits(0, 0)));
    refused(Capability.CHANGES, sandbox.changes().collect().asList());
    refused(Capability.CONNECT, sandbox.connect(80));
    refused(Capability.TERMINAL, sandbox.exec(Command.of("true").terminal(80, 24).spec()));
    refused(Capability.SESSIONS, sandbox.openSession(SessionSpec.of("s")));
    refused(Capability.SESSIONS, sandbox.attachSession("s"));
    refused(Capability.SESSIONS, sandbox.runInSession(new SessionCommand("s", "e", "true", false)));
    if (fixture().has(Capability.FILES)) {
      refused(Capability.ARCHIVES, sandbox.files().archive("", "/").collect().asList());
      refused(Capability.WATCH, sandbox.files().watch("", "/", false).collect().asList());
    } else {
      assertEquals(
          ErrorCode.UNSUPPORTED, assertThrows(SandgateException.class, sandbox::files).code());
    }
  }

  private void refused(Capability capability, Uni<?> call) {
    if (!fixture().has(capability)) {
      assertEquals(ErrorCode.UNSUPPORTED, Waiting.codeOf(call), capability::toString);
    }
  }

  @Test
  default void shouldStopAndContinueProcessesWhenPauseIsDeclared() {
    fixture().assumeHas(Capability.PAUSE);
    Sandbox sandbox = fixture().fresh();
    Running counter = Fixture.start(sandbox, Command.of("yes"));
    Eventually.holds("it counts", () -> counter.events().position().stdout() > 0);
    Waiting.on(sandbox.pause());
    Waiting.on(sandbox.pause());
    long still =
        Eventually.settles(
            "the counter", Duration.ofMillis(300), () -> counter.events().position().stdout());
    Waiting.on(sandbox.resume());
    Eventually.holds("it counts on", () -> counter.events().position().stdout() > still);
    counter.kill();
  }

  @Test
  default void shouldForgetFilesAndProcessesWhenResetIsDeclared() {
    fixture().assumeHas(Capability.RESET);
    Sandbox sandbox = fixture().fresh();
    int quiet = Waiting.on(sandbox.usage()).processes();
    Fixture.run(sandbox, Command.of("touch", fixture().scratch() + "/left"));
    Fixture.start(sandbox, Command.of("sleep", "1000"));
    Waiting.on(sandbox.reset());
    Fixture.awaitProcesses(sandbox, quiet);
    Result look = Fixture.run(sandbox, Command.of("cat", fixture().scratch() + "/left"));
    assertEquals(1, look.exit().exitCode());
  }
}
