// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.support.spawner.Spawner;
import dev.sandgate.support.spawner.Spawner.Found;
import dev.sandgate.tck.BackendContract;
import dev.sandgate.tck.GuestTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Every promise of a backend, on containers with a busybox root; needs root. */
abstract class ContainerContract extends BackendContract {

  private BackendContext context;
  private Layer layer;

  /** Remembers where the node put the backend, to reach its spawner behind its back. */
  private final class Watched implements BackendProvider {
    @Override
    public String name() {
      return new ContainerProvider().name();
    }

    @Override
    public Backend open(BackendContext given) {
      context = given;
      return new ContainerProvider().open(given);
    }
  }

  @Override
  protected BackendProvider provider() {
    return new Watched();
  }

  @Override
  protected GuestTools tools() {
    return GuestTools.BUSYBOX.withOtherUser("other");
  }

  @Override
  protected SandboxSpec spec(String id) {
    return new SandboxSpec(
        id,
        List.of(layer()),
        new ResourceLimits(0, 0, 0, 0, 0),
        QosClass.LATENCY_SENSITIVE,
        "user",
        Map.of(),
        "box",
        Map.of());
  }

  private Layer layer() {
    try {
      if (layer == null) {
        layer =
            BusyboxLayer.build(Files.createDirectories(context.stateDirectory().resolve("images")));
      }
      return layer;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected boolean killGuest(Sandbox sandbox) {
    try (Spawner spawner = spawner()) {
      return spawner.list().stream()
          .filter(found -> found.id().equals(sandbox.id()))
          .map(Found::pid)
          .flatMap(pid -> ProcessHandle.of(pid).stream())
          .allMatch(ProcessHandle::destroyForcibly);
    }
  }

  @Override
  protected void afterClosed(Path stateDirectory) {
    assertFalse(Files.exists(ContainerSettings.of(context).spawner().run()), "a spawner is left");
  }

  private Spawner spawner() {
    return new Spawner(ContainerSettings.of(context).spawner());
  }
}
