// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.TerminalSize;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The node's hold on a {@link FakeExec}: one listener with its position. */
final class FakeHandle implements Exec {

  private final FakeExec exec;
  private final FakeSandbox sandbox;
  private final Faults faults;
  private final int listener;
  private OutputOffsets at;
  private boolean exitGiven;

  FakeHandle(FakeExec exec, FakeSandbox sandbox, Faults faults, OutputOffsets from) {
    this.exec = exec;
    this.sandbox = sandbox;
    this.faults = faults;
    this.listener = exec.listen();
    this.at = exec.clamp(from);
  }

  @Override
  public String id() {
    return exec.spec().id();
  }

  @Override
  public long pid() {
    return exec.pid();
  }

  @Override
  public Multi<ExecEvent> events() {
    return BlockingStream.of(
        new BlockingStream.Source<>() {
          @Override
          public Optional<ExecEvent> next() throws InterruptedException {
            return nextEvent();
          }

          @Override
          public CompletableFuture<Void> broken() {
            return exec.lost();
          }

          @Override
          public void taken(ExecEvent event) {
            exec.acknowledge(at);
          }
        });
  }

  private Optional<ExecEvent> nextEvent() throws InterruptedException {
    Optional<ExecEvent> event = exitGiven ? Optional.empty() : exec.next(listener, at);
    if (event.isPresent()) {
      switch (event.get()) {
        case ExecEvent.Output output -> {
          faults.pass(Faults.Point.OUTPUT);
          at = after(output);
        }
        case ExecEvent.Exited exited -> {
          faults.pass(Faults.Point.EXIT);
          exitGiven = true;
        }
      }
    }
    return event;
  }

  private OutputOffsets after(ExecEvent.Output output) {
    long end = output.offset() + output.data().remaining();
    return output.stream() == ExecEvent.Stream.STDOUT
        ? new OutputOffsets(end, at.stderr())
        : new OutputOffsets(at.stdout(), end);
  }

  @Override
  public Uni<Long> write(long offset, ByteBuffer data, boolean end) {
    ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data).flip();
    return Work.of(
        () -> {
          faults.pass(Faults.Point.WRITE);
          return exec.write(offset, copy.duplicate(), end);
        });
  }

  @Override
  public Uni<Void> signal(int number, SignalTarget target) {
    return Work.of(
            () -> {
              faults.pass(Faults.Point.SIGNAL);
              exec.kill(target == SignalTarget.TREE ? 9 : number);
              return exec;
            })
        .replaceWithVoid();
  }

  @Override
  public Uni<Void> resize(TerminalSize size) {
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<Void> release() {
    return Work.of(
            () -> {
              faults.pass(Faults.Point.RELEASE);
              sandbox.forget(exec);
              return exec;
            })
        .replaceWithVoid();
  }
}
