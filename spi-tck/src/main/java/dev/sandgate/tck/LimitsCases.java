// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Usage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Limits that hold and harm nobody else, when {@link Capability#LIMITS} is declared. */
interface LimitsCases {

  Fixture fixture();

  private Sandbox limited(ResourceLimits limits) {
    fixture().assumeHas(Capability.LIMITS);
    SandboxSpec spec = fixture().newSpec();
    return fixture()
        .fresh(
            new SandboxSpec(
                spec.id(),
                spec.layers(),
                limits,
                spec.qosClass(),
                spec.user(),
                spec.env(),
                spec.hostname(),
                spec.labels()));
  }

  @Test
  default void shouldKillWhatTakesTooMuchMemoryAndSaySo() {
    Sandbox sandbox = limited(new ResourceLimits(0, 64 << 20, 0, 0, 0));
    Result result =
        Fixture.run(sandbox, Command.sh("dd if=/dev/zero bs=200M count=1 2>/dev/null | tail -c 1"));
    assertTrue(result.exit().outOfMemory(), result::toString);
    Result direct =
        Fixture.run(
            sandbox, Command.of("dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1"));
    assertEquals(-1, direct.exit().exitCode(), direct::toString);
    assertEquals(9, direct.exit().signal());
    assertTrue(direct.exit().outOfMemory(), direct::toString);
    Usage usage = Waiting.on(sandbox.usage());
    assertTrue(usage.outOfMemoryKills() >= 2, usage::toString);
    Result after = Fixture.run(sandbox, Command.of("echo", "alive"));
    assertEquals("alive", after.line());
    assertEquals(false, after.exit().outOfMemory());
  }

  @Test
  default void shouldContainAForkBomb() {
    Sandbox sandbox = limited(new ResourceLimits(0, 0, 64, 0, 0));
    Running bomb =
        Fixture.start(
            sandbox, Command.sh("b() { b | b & b; }; b 2>/dev/null; while :; do sleep 1; done"));
    Eventually.value(
        "the bomb fills the sandbox",
        () -> Waiting.on(sandbox.usage()).processes(),
        processes -> processes >= 32);
    assertTrue(Waiting.on(sandbox.usage()).processes() <= 64);
    assertEquals("fine", fixture().run(Command.of("echo", "fine")).line());
    bomb.signal(Running.SIGKILL, dev.sandgate.spi.Exec.SignalTarget.TREE);
    Waiting.on(sandbox.destroy(), Duration.ofSeconds(5));
  }

  @Test
  default void shouldGiveNoMoreCpuThanTheLimit() {
    Sandbox sandbox = limited(new ResourceLimits(200, 0, 0, 0, 0));
    Running burner = Fixture.start(sandbox, Command.sh("while :; do :; done"));
    long start = System.nanoTime();
    Duration before = Waiting.on(sandbox.usage()).cpu();
    Eventually.value(
        "three seconds pass", () -> System.nanoTime() - start, passed -> passed > 3_000_000_000L);
    Duration used = Waiting.on(sandbox.usage()).cpu().minus(before);
    double share = used.toNanos() / (double) (System.nanoTime() - start);
    burner.kill();
    assertTrue(share > 0.02 && share < 0.4, () -> "used " + share + " of a core, limit 0.2");
  }

  @Test
  default void shouldStopWritesAtTheDiskLimit() {
    Sandbox sandbox;
    try {
      sandbox = limited(new ResourceLimits(0, 0, 0, 32 << 20, 0));
    } catch (SandgateException refusal) {
      assumeTrue(
          !refusal.field().equals("limits.disk_bytes"), () -> "refused: " + refusal.getMessage());
      throw refusal;
    }
    String file = fixture().scratch() + "/big";
    Result result =
        Fixture.run(sandbox, Command.sh("dd if=/dev/zero of=" + file + " bs=1M count=100; sync"));
    assertTrue(result.stderr().contains("No space left"), result::stderr);
    long kept = Long.parseLong(Fixture.run(sandbox, Command.sh("wc -c < " + file)).line());
    assertTrue(kept <= 34 << 20, () -> kept + " bytes");
  }

  @Test
  default void shouldLimitDescriptorsPerProcess() {
    Sandbox sandbox = limited(new ResourceLimits(0, 0, 0, 0, 99));
    assertEquals("99", Fixture.run(sandbox, Command.sh("ulimit -n")).line());
  }
}
