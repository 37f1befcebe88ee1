// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.spi.TerminalSize;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.agent.Request.Question;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/** A command as its caller sees it. */
record GuestExec(Link link, ExecExchange exchange, String id, long pid) implements Exec {

  @Override
  public String id() {
    exchange.use();
    return id;
  }

  @Override
  public long pid() {
    exchange.use();
    return pid;
  }

  @Override
  public Multi<ExecEvent> events() {
    exchange.use();
    return exchange.events();
  }

  @Override
  public Uni<Long> write(long offset, ByteBuffer data, boolean end) {
    exchange.use();
    if (data.remaining() > Frame.MAX_DATA_BYTES) {
      return Uni.createFrom().failure(SendWindow.tooLong(data.remaining()));
    }
    ByteBuffer bytes = SendWindow.copyOf(data);
    return link.uni(emitter -> exchange.stdin().write(emitter, offset, bytes, end));
  }

  @Override
  public Uni<Void> signal(int number, SignalTarget target) {
    if (number < 1 || number > 64) {
      SandgateException cause = SandgateException.invalid("signal", "1 to 64, not " + number);
      return Uni.createFrom().failure(cause);
    }
    return once(() -> exchange.signal(number, target));
  }

  @Override
  public Uni<Void> resize(TerminalSize size) {
    return once(() -> exchange.resize(size.columns(), size.rows()));
  }

  @Override
  public Uni<Void> release() {
    exchange.use();
    return Request.run(
        link, new Question(Operation.EXEC, "exec " + id, FrameType.RELEASE, 0, f -> f.str(id)));
  }

  private Uni<Void> once(Runnable send) {
    exchange.use();
    return link.uni(
        emitter -> {
          link.requireAlive();
          send.run();
          emitter.complete(null);
        });
  }
}
