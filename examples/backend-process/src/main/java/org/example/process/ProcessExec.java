// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecSpec;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.TerminalSize;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** One command: the leader of a session of its own, and everything that carries its mark. */
final class ProcessExec implements Exec {

  private final ExecSpec spec;
  private final Process process;
  private final ProcessTree tree;
  private final ProcessSandbox sandbox;
  private final ProcessInput input;
  private final CompletableFuture<Void> lost = new CompletableFuture<>();
  private volatile boolean used;

  ProcessExec(ExecSpec spec, Process process, ProcessTree tree, ProcessSandbox sandbox) {
    this.spec = spec;
    this.process = process;
    this.tree = tree;
    this.sandbox = sandbox;
    this.input = new ProcessInput(process, spec.stdin());
  }

  @Override
  public String id() {
    used = true;
    return spec.id();
  }

  @Override
  public long pid() {
    used = true;
    return process.pid();
  }

  @Override
  public Multi<ExecEvent> events() {
    used = true;
    return BlockingStream.of(new ProcessEvents(process), lost);
  }

  @Override
  public Uni<Long> write(long offset, ByteBuffer data, boolean end) {
    used = true;
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    return Work.onPlatformThread(() -> written(offset, bytes, end));
  }

  private long written(long offset, byte[] bytes, boolean end) {
    try {
      return input.write(offset, bytes, end);
    } catch (IOException closedByTheCommand) {
      sandbox.checkAlive();
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION, "", "the command closed its stdin", closedByTheCommand);
    }
  }

  @Override
  public Uni<Void> signal(int number, SignalTarget target) {
    used = true;
    return Work.run(
        () -> {
          switch (target) {
            case PROCESS -> kill(number, Long.toString(process.pid()));
            case GROUP -> kill(number, "-" + process.pid());
            case TREE -> killTree();
          }
        });
  }

  /** Those that are known by their parent first: while it executes a program a process shows no mark. */
  private void killTree() throws InterruptedException {
    killKnown();
    tree.kill();
  }

  private void killKnown() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    // Not the process itself: that would close its pipes, with what is still in them.
    process.toHandle().destroyForcibly();
  }

  /** The JDK sends two signals only; the tool knows them all. */
  private void kill(int number, String who) throws IOException, InterruptedException {
    if (process.isAlive()) {
      new ProcessBuilder("kill", "-" + number, "--", who)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    }
  }

  @Override
  public Uni<Void> resize(TerminalSize size) {
    used = true;
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<Void> release() {
    used = true;
    return Uni.createFrom().voidItem().invoke(() -> sandbox.forget(spec.id()));
  }

  /** Ends it as if it had never been asked for, unless somebody has it in hand. */
  void takeBack() {
    if (used) {
      return;
    }
    try {
      killTree();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    sandbox.forget(spec.id());
  }

  /** The sandbox is gone: whoever listens learns it. */
  void lose() {
    lost.complete(null);
    killKnown();
  }
}
