// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Probe;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backend is found, says truly what the host has, and has no sandboxes. */
final class FncallBackendTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path directory;

  private Backend open() {
    BackendProvider provider =
        ServiceLoader.load(BackendProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(candidate -> candidate.name().equals("fncall"))
            .findFirst()
            .orElseThrow();
    return provider.open(new BackendContext("n", directory, Map.of()));
  }

  @Test
  void shouldDeclareCallsAndNothingOfSandboxes() {
    try (Backend backend = open()) {
      assertEquals(Set.of(Capability.FUNCTIONS, Capability.LAYERS), backend.capabilities());
      assertTrue(backend.probe().available(), backend.probe().reason());
    }
  }

  @Test
  void shouldNameASettingThatIsWrong() {
    BackendContext context = new BackendContext("n", directory, Map.of("workers", "0"));
    SandgateException failure =
        assertThrows(SandgateException.class, () -> FncallSettings.of(context));
    assertEquals(ErrorCode.INVALID_CONFIG, failure.code());
    assertTrue(
        String.valueOf(failure.getMessage()).contains("backend.fncall.workers"),
        failure.getMessage());
  }

  @Test
  void shouldRefuseToCreate() {
    SandboxSpec spec =
        new SandboxSpec(
            "sb-n-1",
            List.of(),
            ResourceLimits.DEFAULT,
            QosClass.BEST_EFFORT,
            "user",
            Map.of(),
            "h",
            Map.of());
    try (Backend backend = open()) {
      assertEquals(List.of(), backend.adopt(List.of(spec)).await().atMost(PATIENCE));
      Throwable failure =
          backend
              .create(spec)
              .onItem()
              .transform(sandbox -> (Throwable) new AssertionError("created " + sandbox))
              .onFailure()
              .recoverWithItem(e -> e)
              .await()
              .atMost(PATIENCE);
      SandgateException refusal = assertInstanceOf(SandgateException.class, failure);
      assertEquals(ErrorCode.UNSUPPORTED, refusal.code());
    }
  }

  @Test
  void shouldSeeTheMeansOfAContainer() {
    try (Backend backend = open()) {
      List<String> subjects =
          backend.probe().findings().stream().map(Probe.Finding::subject).toList();
      assertEquals(
          List.of(
              "user namespaces",
              "cgroup v2",
              "overlay",
              "erofs",
              "spawner",
              "agent",
              "root",
              "gpu"),
          subjects);
      assertTrue(
          backend.probe().findings().stream()
              .filter(finding -> finding.subject().equals("user namespaces"))
              .allMatch(Probe.Finding::available));
    }
  }
}
