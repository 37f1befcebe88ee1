// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sandgate.node.admission.Commitments;
import dev.sandgate.node.admission.Overcommit;
import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.node.sandboxes.TimeLimits.Limit;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the look over all sandboxes does by itself. */
class SweepTest {

  @TempDir Path data;

  private final List<String> ended = new ArrayList<>();
  private final List<String> forgotten = new ArrayList<>();
  private final Registry registry = new Registry(new Commitments(10, Overcommit.UNBOUNDED, 0));

  private LiveSandbox add(Backends backends, Sandbox.Builder record) {
    String id = "sb-n1-" + registry.newestFirst().size();
    SandboxSpec spec =
        new SandboxSpec(
            id,
            List.of(),
            new ResourceLimits(0, 0, 0, 0, 0),
            QosClass.BEST_EFFORT,
            "",
            Map.of(),
            id,
            Map.of());
    LiveSandbox live =
        new LiveSandbox(
            backends.require("backend", "memory"),
            spec,
            Stack.NONE,
            record.setSandboxId(id).build(),
            registry.nextSequence());
    registry.add(live);
    return live;
  }

  @Test
  void shouldFindWhatALostTimerMissed() {
    Map<String, String> settings =
        Map.of("backend.container.enabled", "false", "backend.fncall.enabled", "false");
    Sandbox.Builder over =
        Sandbox.newBuilder()
            .setState(SandboxState.SANDBOX_STATE_RUNNING)
            .setLeaseUntil(Times.timestamp(System.currentTimeMillis() - 1));
    try (Backends backends =
        Backends.open(new Backends.Setup("n1", data, Optional.empty(), settings))) {
      LiveSandbox lost = add(backends, over.clone());
      add(backends, Sandbox.newBuilder().setState(SandboxState.SANDBOX_STATE_RUNNING));
      add(backends, over.clone().setState(SandboxState.SANDBOX_STATE_STOPPING));
      LiveSandbox gone =
          add(
              backends,
              over.clone()
                  .setState(SandboxState.SANDBOX_STATE_TERMINATED)
                  .setEndedAt(Times.timestamp(System.currentTimeMillis() - 60_000)));
      Reaper unwatching =
          new Reaper((live, limit) -> ended.add(live.id() + " " + limit), live -> {});
      new Sweep(registry, unwatching, live -> forgotten.add(live.id()), Duration.ofSeconds(30))
          .run(System.currentTimeMillis());
      unwatching.close();
      assertEquals(List.of(lost.id() + " " + Limit.LEASE), ended);
      assertEquals(List.of(gone.id()), forgotten);
    }
  }
}
