// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.waking;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.TerminalSize;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/** A command in a sandbox that wakes up. That somebody listens to it, or forgets it, wakes nothing. */
record WakingExec(Exec exec, PauseGate gate) implements Exec {

  @Override
  public String id() {
    return exec.id();
  }

  @Override
  public long pid() {
    return exec.pid();
  }

  @Override
  public Multi<ExecEvent> events() {
    return exec.events();
  }

  @Override
  public Uni<Long> write(long offset, ByteBuffer data, boolean end) {
    return gate.begin(() -> exec.write(offset, data, end));
  }

  @Override
  public Uni<Void> signal(int number, SignalTarget target) {
    return gate.begin(() -> exec.signal(number, target));
  }

  @Override
  public Uni<Void> resize(TerminalSize size) {
    return gate.begin(() -> exec.resize(size));
  }

  @Override
  public Uni<Void> release() {
    return exec.release();
  }
}
