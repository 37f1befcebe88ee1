// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.waking;

import dev.sandgate.spi.Change;
import dev.sandgate.spi.Connection;
import dev.sandgate.spi.DiskSnapshot;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Reclaimed;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SessionCommand;
import dev.sandgate.spi.SessionSpec;
import dev.sandgate.spi.SnapshotLimits;
import dev.sandgate.spi.Termination;
import dev.sandgate.spi.Usage;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.Optional;

/**
 * A sandbox that wakes up when something is asked of what runs in it (DSec §6.3). What is done to it from outside is done
 * whether it is awake or not.
 *
 * @param sandbox the backend's
 * @param gate where what is asked of it passes
 */
public record WakingSandbox(Sandbox sandbox, PauseGate gate) implements Sandbox {

  @Override
  public String id() {
    return sandbox.id();
  }

  @Override
  public Uni<Exec> exec(ExecSpec spec) {
    return command(gate.pass(() -> sandbox.exec(spec)));
  }

  private Uni<Exec> command(Uni<Exec> started) {
    return started.map(exec -> new WakingExec(exec, gate));
  }

  @Override
  public Uni<Exec> attach(String execId, OutputOffsets from) {
    return command(gate.pass(() -> sandbox.attach(execId, from)));
  }

  @Override
  public Uni<Exec> openSession(SessionSpec spec) {
    return command(gate.pass(() -> sandbox.openSession(spec)));
  }

  @Override
  public Uni<Exec> attachSession(String sessionId) {
    return command(gate.pass(() -> sandbox.attachSession(sessionId)));
  }

  @Override
  public Uni<Exec> attachInSession(String sessionId, String execId, OutputOffsets from) {
    return command(gate.pass(() -> sandbox.attachInSession(sessionId, execId, from)));
  }

  @Override
  public Uni<Exec> runInSession(SessionCommand command) {
    return command(gate.pass(() -> sandbox.runInSession(command)));
  }

  @Override
  public Files files() {
    return new WakingFiles(sandbox.files(), gate);
  }

  @Override
  public Multi<Change> changes() {
    return sandbox.changes();
  }

  @Override
  public Uni<Connection> connect(int port) {
    return gate.pass(() -> sandbox.connect(port))
        .map(connection -> new WakingConnection(connection, gate));
  }

  @Override
  public Uni<Usage> usage() {
    return sandbox.usage();
  }

  @Override
  public Optional<Usage> lastUsage() {
    return sandbox.lastUsage();
  }

  @Override
  public Uni<Termination> terminated() {
    return sandbox.terminated();
  }

  @Override
  public Uni<Void> destroy() {
    return sandbox.destroy();
  }

  @Override
  public Uni<Void> pause() {
    return sandbox.pause();
  }

  @Override
  public Uni<Reclaimed> reclaim() {
    return sandbox.reclaim();
  }

  @Override
  public Uni<Void> resume() {
    return sandbox.resume();
  }

  @Override
  public Uni<DiskSnapshot> snapshot(SnapshotLimits limits) {
    return sandbox.snapshot(limits);
  }

  @Override
  public Uni<Optional<Usage>> reset() {
    return sandbox.reset();
  }
}
