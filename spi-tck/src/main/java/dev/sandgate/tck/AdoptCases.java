// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A restart of the node: what lived is taken back when {@link Capability#ADOPT} is declared, the rest removed. */
interface AdoptCases {

  Fixture fixture();

  @Test
  default void shouldTakeBackTheKnownAndRemoveTheRest() {
    fixture().shared();
    SandboxSpec known = fixture().newSpec();
    SandboxSpec unknown = fixture().newSpec();
    SandboxSpec neverMade = fixture().newSpec();
    Fixture.start(fixture().fresh(known), Command.of("sleep", "1000"));
    Fixture.start(fixture().fresh(unknown), Command.of("sleep", "1000"));
    List<Sandbox> alive = restart(known, neverMade);
    if (!fixture().has(Capability.ADOPT)) {
      assertEquals(List.of(), alive, "the backend declares no ADOPT");
      return;
    }
    Set<String> ids = alive.stream().map(Sandbox::id).collect(Collectors.toSet());
    assertEquals(Set.of(known.id(), fixture().sharedSpec().id()), ids);
    assertEquals("here", fixture().run(Command.of("echo", "here")).line());
  }

  /** Restarts the node, which knows the shared sandbox and these. */
  private List<Sandbox> restart(SandboxSpec... known) {
    List<SandboxSpec> all = new ArrayList<>(List.of(known));
    all.add(fixture().sharedSpec());
    List<Sandbox> alive = fixture().restart(all);
    alive.stream()
        .filter(sandbox -> !sandbox.id().equals(fixture().sharedSpec().id()))
        .forEach(fixture()::owned);
    return alive;
  }

  private Exec attach(Running before, OutputOffsets from) {
    return Waiting.on(fixture().shared().attach(before.exec().id(), from));
  }

  private static Running listen(Exec exec, OutputOffsets from) {
    Recorder events = new Recorder(Long.MAX_VALUE, from);
    exec.events().subscribe(events);
    return new Running(exec, events);
  }

  @Test
  default void shouldKeepARunningCommandOverARestart() {
    fixture().assumeHas(Capability.ADOPT);
    Running before =
        fixture().start(Command.sh("echo first; read line; echo $line; exit 4").stdin());
    before.events().awaitStdout("first\n");
    OutputOffsets seen = before.events().position();
    restart();
    Running after = listen(attach(before, seen), seen);
    after.write(0, "second\n", true);
    Result result = after.result();
    assertEquals("second\n", result.stdout());
    assertEquals(4, result.exit().exitCode());
  }

  @Test
  default void shouldKeepTheExitAndTheUnreadOutputOverARestart() {
    fixture().assumeHas(Capability.ADOPT);
    Running before = Fixture.start(fixture().shared(), Command.sh("seq 1 1000; exit 9"), 0);
    fixture().awaitQuiet();
    restart();
    Running after = listen(attach(before, OutputOffsets.START), OutputOffsets.START);
    Result result = after.result();
    assertEquals(3893, result.out().count());
    assertEquals(9, result.exit().exitCode());
  }

  @Test
  default void shouldGoOnFromAnOffsetWithoutARestart() {
    fixture().assumeHas(Capability.ADOPT);
    Running first = Fixture.start(fixture().shared(), Command.of("seq", "1", "400000"), 3);
    Eventually.holds("a chunk", () -> first.events().position().stdout() > 0);
    OutputOffsets seen =
        Eventually.settles(
            "three chunks", java.time.Duration.ofMillis(200), first.events()::position);
    first.events().cancel();
    Running second = listen(attach(first, seen), seen);
    Result result = second.result().succeeded();
    assertEquals(2_688_895, seen.stdout() + result.out().count());
    assertTrue(result.out().count() > 0);
  }
}
