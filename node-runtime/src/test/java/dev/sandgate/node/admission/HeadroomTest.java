// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine must have left, told by files as the kernel has them. */
class HeadroomTest {

  private static final long MIB = 1L << 20;
  private static final long NEVER = Long.MAX_VALUE;
  private static final long ALWAYS = -1;

  @TempDir Path proc;

  @BeforeEach
  void calm() throws IOException {
    Files.createDirectory(proc.resolve("pressure"));
    memory(1_000, 900);
    for (String resource : new String[] {"cpu", "memory", "io"}) {
      pressure(resource, "0.00");
    }
  }

  private void memory(long totalMib, long availableMib) throws IOException {
    Files.writeString(
        proc.resolve("meminfo"),
        "MemTotal:       %d kB\nMemFree:  1 kB\nMemAvailable:   %d kB\n"
            .formatted(totalMib * 1_024, availableMib * 1_024));
  }

  private void pressure(String resource, String percent) throws IOException {
    Files.writeString(
        proc.resolve("pressure").resolve(resource),
        "some avg10=%s avg60=99.00 avg300=99.00 total=1\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=1\n"
            .formatted(percent));
  }

  private Headroom headroom(Map<String, String> settings, long freshNanos) {
    return new Headroom(settings, new Machine(proc), freshNanos);
  }

  private static String refusal(Headroom headroom) {
    return assertThrows(SandgateException.class, headroom::require).field();
  }

  @Test
  void shouldLeaveATwentiethByDefault() throws IOException {
    Headroom headroom = headroom(Map.of(), ALWAYS);
    memory(1_000, 50);
    headroom.require();
    memory(1_000, 49);
    assertEquals(Headroom.RESERVE, refusal(headroom));
    memory(1_000, 51);
    headroom.require();
  }

  @Test
  void shouldCountWhatIsBeingMadeSinceTheKernelWasAsked() throws IOException {
    memory(1_000, 103);
    Headroom headroom = headroom(Map.of(Headroom.RESERVE, Long.toString(100 * MIB)), NEVER);
    for (int i = 0; i < 4; i++) {
      headroom.require();
    }
    assertEquals(Headroom.RESERVE, refusal(headroom));
    assertEquals(1, headroom.shown().getRefused());
  }

  @Test
  void shouldRefuseWhileTasksWaitForMemoryThatIsScarce() throws IOException {
    Headroom headroom = headroom(Map.of(), ALWAYS);
    pressure("memory", "40.01");
    headroom.require();
    memory(1_000, 249);
    assertEquals(Headroom.MEMORY, refusal(headroom));
    pressure("memory", "40.00");
    headroom.require();
  }

  @Test
  void shouldLookAtProcessorsAndDisksWhenToldTo() throws IOException {
    Headroom unbounded = headroom(Map.of(), ALWAYS);
    Headroom bounded = headroom(Map.of(Headroom.CPU, "80", Headroom.IO, "12.5"), ALWAYS);
    pressure("cpu", "80.50");
    assertEquals(Headroom.CPU, refusal(bounded));
    pressure("cpu", "79.00");
    pressure("io", "13.00");
    assertEquals(Headroom.IO, refusal(bounded));
    unbounded.require();
  }

  @Test
  void shouldTakeSandboxesWhereTheKernelTellsNoPressure() throws IOException {
    Files.delete(proc.resolve("pressure").resolve("cpu"));
    Headroom headroom = headroom(Map.of(Headroom.CPU, "1"), ALWAYS);
    headroom.require();
    assertEquals(-1, headroom.shown().getCpuPressure());
  }
}
