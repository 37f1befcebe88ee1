// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.Connection;
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
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A sandbox in memory: commands are virtual threads, files a map, port 7 echoes. */
final class FakeSandbox implements Sandbox {

  private static final int ECHO_PORT = 7;

  private final SandboxSpec spec;
  private final Faults faults;
  private final Runnable removal;
  private final FakeTree tree = new FakeTree();
  private final Files files;
  private final Map<String, FakeExec> execs = new LinkedHashMap<>();
  private final CompletableFuture<Termination> end = new CompletableFuture<>();
  private volatile Optional<Usage> lastUsage = Optional.empty();
  private boolean paused;

  FakeSandbox(SandboxSpec spec, Faults faults, Runnable removal) {
    this.spec = spec;
    this.faults = faults;
    this.removal = removal;
    this.files = new FakeFiles(tree, this, faults);
  }

  @Override
  public String id() {
    return spec.id();
  }

  @Override
  public Uni<Exec> exec(ExecSpec command) {
    return Work.of(
        () -> {
          faults.pass(Faults.Point.EXEC);
          FakeExec started = start(command);
          Exec handle = new FakeHandle(started, this, faults, OutputOffsets.START);
          try {
            faults.pass(Faults.Point.STARTED);
          } catch (InterruptedException e) {
            abandon(started);
            throw e;
          }
          return handle;
        },
        handle -> abandon(find(handle.id())));
  }

  private synchronized FakeExec start(ExecSpec command) {
    checkAlive();
    if (command.terminal().isPresent()) {
      throw new SandgateException(ErrorCode.UNSUPPORTED, "fake sandboxes have no terminal");
    }
    if (execs.containsKey(command.id())) {
      throw new SandgateException(ErrorCode.ALREADY_EXISTS, "exec " + command.id() + " exists");
    }
    Map<String, String> env = new HashMap<>(spec.env());
    env.putAll(command.env());
    FakeCommand program =
        FakeCommand.of(command.argv(), env, tree)
            .orElseThrow(
                () ->
                    new SandgateException(
                        ErrorCode.EXEC_FAILED, command.argv().getFirst() + ": command not found"));
    FakeExec exec = new FakeExec(command, program);
    execs.put(command.id(), exec);
    exec.pause(paused);
    exec.start();
    return exec;
  }

  private void abandon(FakeExec exec) {
    exec.kill(9);
    forget(exec);
  }

  synchronized void forget(FakeExec exec) {
    execs.remove(exec.spec().id(), exec);
  }

  private synchronized FakeExec find(String execId) {
    checkAlive();
    FakeExec exec = execs.get(execId);
    if (exec == null) {
      throw new SandgateException(ErrorCode.NOT_FOUND, "no exec " + execId);
    }
    return exec;
  }

  @Override
  public Uni<Exec> attach(String execId, OutputOffsets from) {
    return Work.of(
        () -> {
          faults.pass(Faults.Point.ATTACH);
          return new FakeHandle(find(execId), this, faults, from);
        });
  }

  @Override
  public Files files() {
    return files;
  }

  @Override
  public Uni<Connection> connect(int port) {
    return Work.of(
        () -> {
          checkAlive();
          faults.pass(Faults.Point.CONNECT);
          if (port != ECHO_PORT) {
            throw new SandgateException(
                ErrorCode.CONNECT_FAILED, "only port " + ECHO_PORT + " listens");
          }
          return new FakeConnection(this);
        });
  }

  @Override
  public Uni<Usage> usage() {
    return Work.of(
        () -> {
          checkAlive();
          faults.pass(Faults.Point.USAGE);
          return reading();
        });
  }

  private synchronized Usage reading() {
    int running = (int) execs.values().stream().filter(FakeExec::running).count();
    return new Usage(Duration.ofMillis(1), 1 << 20, 1 << 20, 1 + running, 0);
  }

  @Override
  public Optional<Usage> lastUsage() {
    return lastUsage;
  }

  @Override
  public Uni<Termination> terminated() {
    return Uni.createFrom().completionStage(end::copy);
  }

  @Override
  public Uni<Void> destroy() {
    return Uni.createFrom()
        .emitter(
            emitter ->
                Thread.ofVirtual()
                    .start(
                        () -> {
                          try {
                            faults.pass(Faults.Point.DESTROY);
                            end(new Termination(Termination.Reason.DESTROYED, ""));
                            emitter.complete(null);
                          } catch (InterruptedException | RuntimeException e) {
                            emitter.fail(e);
                          }
                        }));
  }

  /** Ends it for whatever reason; the first counts. */
  void end(Termination why) {
    removal.run();
    synchronized (this) {
      lastUsage = lastUsage.or(() -> Optional.of(reading()));
      end.complete(why);
      execs.values().forEach(FakeExec::lose);
      execs.clear();
    }
  }

  void checkAlive() {
    if (end.isDone()) {
      throw new SandgateException(ErrorCode.SANDBOX_LOST, "sandbox " + id() + " is gone");
    }
  }

  @Override
  public Uni<Void> pause() {
    return paused(true);
  }

  @Override
  public Uni<Void> resume() {
    return paused(false);
  }

  private Uni<Void> paused(boolean on) {
    return Work.of(
            () -> {
              checkAlive();
              faults.pass(Faults.Point.PAUSE);
              pauseAll(on);
              return on;
            })
        .replaceWithVoid();
  }

  private synchronized void pauseAll(boolean on) {
    paused = on;
    execs.values().forEach(exec -> exec.pause(on));
  }

  @Override
  public Uni<Optional<Usage>> reset() {
    return Work.of(
        () -> {
          checkAlive();
          faults.pass(Faults.Point.PAUSE);
          return forgetAll();
        });
  }

  private synchronized Optional<Usage> forgetAll() {
    Optional<Usage> used = Optional.of(reading());
    execs.values().forEach(exec -> exec.kill(9));
    execs.clear();
    tree.clear();
    return used;
  }
}
