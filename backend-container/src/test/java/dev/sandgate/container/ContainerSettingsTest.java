// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every setting, its default and its refusals. */
final class ContainerSettingsTest {

  private static ContainerSettings of(Map<String, String> settings) {
    return ContainerSettings.of(new BackendContext("n1", Path.of("/var/lib/x"), settings));
  }

  @Test
  void shouldHaveDefaults() {
    ContainerSettings settings = of(Map.of());
    Path binaries = Path.of(System.getProperty("sandgate.native"));
    assertEquals(ContainerSettings.Provider.NATIVE, settings.provider());
    assertEquals("crun", settings.runtime());
    assertEquals(binaries.resolve("spawner"), settings.spawner().binary());
    assertEquals(binaries.resolve("agent"), settings.spawner().agent());
    assertEquals(Path.of("/var/lib/x"), settings.spawner().state());
    assertEquals(100_000, settings.spawner().uidBase());
    assertEquals(new ResourceLimits(2000, 2L << 30, 1024, 0, 0), settings.limits());
    assertTrue(settings.diskReserved());
    assertEquals(Duration.ofSeconds(3), settings.tuning().probeInterval());
    assertEquals(3, settings.tuning().probeMisses());
    assertTrue(settings.threads() >= 1);
    String mark = settings.spawner().cgroupName().substring("sandgate-".length());
    assertEquals(Path.of("/run/sandgate-" + mark), settings.spawner().run());
  }

  @Test
  void shouldTakeEveryKey() {
    ContainerSettings settings =
        of(
            Map.ofEntries(
                Map.entry("provider", "oci"),
                Map.entry("runtime", "runc"),
                Map.entry("spawner", "/s"),
                Map.entry("agent", "/a"),
                Map.entry("run", "/r"),
                Map.entry("uid-base", "200000"),
                Map.entry("cgroup-name", "c"),
                Map.entry("cpu-millis", "1"),
                Map.entry("memory-bytes", "2"),
                Map.entry("pids", "3"),
                Map.entry("disk-bytes", "4"),
                Map.entry("open-files", "5"),
                Map.entry("inodes", "6"),
                Map.entry("disk-reserved", "false"),
                Map.entry("probe-millis", "60"),
                Map.entry("probe-misses", "7"),
                Map.entry("threads", "8")));
    assertEquals(ContainerSettings.Provider.OCI, settings.provider());
    assertEquals("runc", settings.runtime());
    assertEquals(Path.of("/s"), settings.spawner().binary());
    assertEquals(Path.of("/a"), settings.spawner().agent());
    assertEquals(Path.of("/r/a/x.sock"), settings.spawner().agentSocket("x"));
    assertEquals(200_000, settings.spawner().uidBase());
    assertEquals("c", settings.spawner().cgroupName());
    assertEquals(new ResourceLimits(1, 2, 3, 4, 5, 6), settings.limits());
    assertEquals(false, settings.diskReserved());
    assertEquals(Duration.ofMillis(60), settings.tuning().probeInterval());
    assertEquals(7, settings.tuning().probeMisses());
    assertEquals(8, settings.threads());
  }

  @Test
  void shouldFillInWhatASandboxDoesNotAskFor() {
    ResourceLimits asked = new ResourceLimits(0, 5, 0, 0, 9);
    assertEquals(new ResourceLimits(2000, 5, 1024, 0, 9), of(Map.of()).limitsFor(asked));
  }

  @ParameterizedTest
  @CsvSource({
    "provider, docker",
    "runtime, runsc",
    "spawner, relative",
    "run, /a-very-long-directory-name-that-holds-no-socket",
    "uid-base, 1000",
    "memory-bytes, much",
    "pids, -1",
    "threads, 0",
    "disk-reserved, maybe",
    "probe-misses, 0",
    "no-such-key, 1"
  })
  void shouldNameTheKeyThatIsWrong(String key, String value) {
    SandgateException wrong = assertThrows(SandgateException.class, () -> of(Map.of(key, value)));
    assertEquals(ErrorCode.INVALID_CONFIG, wrong.code());
    assertTrue(wrong.getMessage().startsWith("backend.container." + key), wrong.getMessage());
  }
}
