// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sandgate.node.backends.Backends;
import dev.sandgate.node.environments.Stack;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.SandboxState;
import dev.sandgate.proto.v1.SandboxUsage;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A look at a sandbox that ends, or is reset, just then. */
class CurrentUsageTest {

  private static final Map<String, String> SETTINGS =
      Map.of("backend.container.enabled", "false", "backend.fncall.enabled", "false");

  @TempDir Path data;

  private Backends backends;

  @BeforeEach
  void open() {
    backends = Backends.open(new Backends.Setup("n1", data, Optional.empty(), SETTINGS));
  }

  @AfterEach
  void close() {
    backends.close();
  }

  @Test
  void shouldWaitForTheEndThatTheBackendKnewOfFirst() {
    LiveSandbox live =
        running(
            ErrorCode.SANDBOX_LOST,
            asked ->
                Thread.ofVirtual()
                    .start(() -> asked.end(SandboxState.SANDBOX_STATE_FAILED, "CHANNEL_LOST", "")));
    assertEquals(Optional.empty(), CurrentUsage.of(live));
    assertEquals(SandboxState.SANDBOX_STATE_FAILED, live.state());
  }

  @Test
  void shouldShowNoUsageOfASandboxThatIsResetMeanwhile() {
    LiveSandbox live =
        running(
            ErrorCode.SANDBOX_LOST,
            asked -> {
              asked.resetBegins();
              asked.resetEnds();
            });
    assertEquals(Optional.empty(), CurrentUsage.of(live));
    assertFalse(live.ended().isDone());
  }

  @Test
  void shouldTellWhatElseFails() {
    LiveSandbox live = running(ErrorCode.INTERNAL, _ -> {});
    SandgateException failure = assertThrows(SandgateException.class, () -> CurrentUsage.of(live));
    assertEquals(ErrorCode.INTERNAL, failure.code());
  }

  /** One whose usage cannot be had; meanwhile something happens to it. */
  private LiveSandbox running(ErrorCode failure, Consumer<LiveSandbox> meanwhile) {
    LiveSandbox live =
        new LiveSandbox(
            backends.require("backend", "memory"),
            new SandboxSpec(
                "sb-n1-1",
                List.of(),
                new ResourceLimits(0, 0, 0, 0, 0),
                QosClass.BEST_EFFORT,
                "",
                Map.of(),
                "sb-n1-1",
                Map.of()),
            Stack.NONE,
            Sandbox.newBuilder().setState(SandboxState.SANDBOX_STATE_CREATING).build(),
            1);
    live.started(
        handle(
            Uni.createFrom()
                .deferred(
                    () -> {
                      meanwhile.accept(live);
                      return Uni.createFrom().failure(new SandgateException(failure, "gone"));
                    })),
        0);
    return live;
  }

  private static dev.sandgate.spi.Sandbox handle(Uni<?> usage) {
    Class<dev.sandgate.spi.Sandbox> type = dev.sandgate.spi.Sandbox.class;
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> {
              assertEquals("usage", method.getName());
              return usage;
            }));
  }

  @Test
  void shouldShowNoUsageOfASandboxThatEndedSinceItWasAskedFor() {
    Optional<SandboxUsage> usage = Optional.of(SandboxUsage.newBuilder().setCpuMicros(1).build());
    for (SandboxState state : SandboxState.values()) {
      if (state == SandboxState.UNRECOGNIZED) {
        continue;
      }
      dev.sandgate.proto.v1.Sandbox record =
          dev.sandgate.proto.v1.Sandbox.newBuilder().setState(state).build();
      boolean alive =
          state == SandboxState.SANDBOX_STATE_RUNNING || state == SandboxState.SANDBOX_STATE_PAUSED;
      assertEquals(alive, CurrentUsage.shown(record, usage).hasUsage(), state.name());
    }
  }
}
