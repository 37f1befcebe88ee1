// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.Files;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.Termination;
import dev.sandgate.spi.Usage;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A directory of the host that is home and default working directory of its commands. */
final class ProcessSandbox implements Sandbox {

  private final SandboxSpec spec;
  private final Path home;
  private final Files files;
  private final CpuMeter cpu = new CpuMeter();
  private final Map<String, ProcessExec> execs = new HashMap<>();
  private final AtomicBoolean ending = new AtomicBoolean();
  private volatile boolean used;
  private final CompletableFuture<Void> removed = new CompletableFuture<>();
  private final CompletableFuture<Termination> end = new CompletableFuture<>();

  ProcessSandbox(SandboxSpec spec, Path home) {
    this.spec = spec;
    this.home = home;
    this.files = new HomeFiles(home, this::checkAlive);
  }

  @Override
  public String id() {
    used = true;
    return spec.id();
  }

  @Override
  public Uni<Exec> exec(ExecSpec command) {
    used = true;
    return Work.of(() -> start(command), ProcessExec::takeBack);
  }

  private synchronized ProcessExec start(ExecSpec command) throws IOException {
    checkAlive();
    if (command.terminal().isPresent()) {
      throw new SandgateException(ErrorCode.UNSUPPORTED, "this backend has no terminals");
    }
    if (!command.user().isEmpty() && !command.user().equals(spec.user())) {
      throw new SandgateException(ErrorCode.EXEC_FAILED, "cannot run as " + command.user());
    }
    if (execs.containsKey(command.id())) {
      throw new SandgateException(ErrorCode.ALREADY_EXISTS, "exec " + command.id() + " exists");
    }
    Process process = Launch.start(spec, command, home);
    ProcessExec exec =
        new ProcessExec(command, process, ProcessTree.ofExec(home, command.id()), this);
    execs.put(command.id(), exec);
    return exec;
  }

  synchronized void forget(String execId) {
    execs.remove(execId);
  }

  /** Nothing outlives the node: {@code ADOPT} is not declared. */
  @Override
  public Uni<Exec> attach(String execId, OutputOffsets from) {
    return Uni.createFrom()
        .failure(() -> new SandgateException(ErrorCode.NOT_FOUND, "no exec " + execId));
  }

  @Override
  public Files files() {
    used = true;
    return files;
  }

  @Override
  public Uni<Usage> usage() {
    used = true;
    return Work.of(
        () -> {
          checkAlive();
          return cpu.reading(ProcessTree.ofSandbox(home).alive());
        },
        nobody -> {});
  }

  @Override
  public Uni<Termination> terminated() {
    used = true;
    return Uni.createFrom().completionStage(end::copy);
  }

  /** Started once, by whoever comes first; everybody waits for the same end. */
  @Override
  public Uni<Void> destroy() {
    return Uni.createFrom()
        .deferred(
            () -> {
              if (ending.compareAndSet(false, true)) {
                Thread.ofVirtual().start(this::remove);
              }
              return Uni.createFrom().completionStage(removed.copy());
            });
  }

  /** Ends it, unless somebody has it in hand. */
  void takeBack() {
    if (!used) {
      destroy().subscribe().with(gone -> {});
    }
  }

  private void remove() {
    try {
      synchronized (this) {
        end.complete(new Termination(Termination.Reason.DESTROYED, ""));
        execs.values().forEach(ProcessExec::lose);
        execs.clear();
      }
      ProcessBackend.remove(home);
      removed.complete(null);
    } catch (InterruptedException | RuntimeException e) {
      ending.set(false);
      removed.completeExceptionally(e);
    }
  }

  void checkAlive() {
    if (end.isDone()) {
      throw new SandgateException(ErrorCode.SANDBOX_LOST, "sandbox " + spec.id() + " is gone");
    }
  }
}
