// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fullvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;
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

/** The backend is found, says truly what the host has, and is unavailable with the reason. */
final class FullvmBackendTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static Backend open() {
    BackendProvider provider =
        ServiceLoader.load(BackendProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(candidate -> candidate.name().equals("fullvm"))
            .findFirst()
            .orElseThrow();
    return provider.open(new BackendContext("n", Path.of("."), Map.of()));
  }

  @Test
  void shouldBeListedUnavailableWithTheReason() {
    try (Backend backend = open()) {
      Probe probe = backend.probe();
      assertFalse(probe.available());
      assertTrue(
          probe.reason().contains("implementation: not part of this version"), probe.reason());
      assertEquals(Set.of(), backend.capabilities());
    }
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
      assertEquals(ErrorCode.BACKEND_UNAVAILABLE, refusal.code());
    }
  }

  @Test
  void shouldFindTheEmulatorOrSayWhatToInstall() {
    try (Backend backend = open()) {
      for (Probe.Finding finding : backend.probe().findings()) {
        assertFalse(finding.detail().isBlank(), finding.subject());
      }
      List<String> subjects =
          backend.probe().findings().stream().map(Probe.Finding::subject).toList();
      assertEquals(
          List.of(
              "/dev/kvm",
              "qemu-system-x86_64",
              "qemu-system-x86_64 machine q35",
              "qemu-img",
              "implementation"),
          subjects);
    }
  }
}
