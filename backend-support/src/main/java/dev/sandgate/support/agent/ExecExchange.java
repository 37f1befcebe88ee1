// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import dev.sandgate.spi.ExecEvent.ExecUsage;
import dev.sandgate.spi.ExecEvent.Exited;
import dev.sandgate.spi.ExecEvent.Output;
import dev.sandgate.spi.ExecEvent.Stream;
import dev.sandgate.spi.Handover;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import dev.sandgate.support.agent.Chunks.Chunk;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The channel of one command: {@code starting → running → exited}, or failed. Event loop only. */
final class ExecExchange extends Exchange implements DemandStream.Source<ExecEvent> {

  private static final int SIGKILL = 9;
  private static final long REST_MILLIS = 500;

  private final Link link;
  private final ExecOpening opening;
  private final OomWatch oom;
  private final Handover<Exec> started;
  private final Incoming incoming;
  private final DemandStream<ExecEvent> events;
  private @Nullable SendWindow stdin;
  private @Nullable ExecEvent exit;
  private volatile boolean used;
  private boolean abandoned;
  private boolean ended;
  private long killsBefore;

  ExecExchange(Link link, ExecOpening opening, OomWatch oom, Handover<Exec> started) {
    this.link = link;
    this.opening = opening;
    this.oom = oom;
    this.started = started;
    this.incoming = new Incoming(link, this, opening.windows());
    this.events = new DemandStream<>(link, this);
  }

  /** Asks the guest; the result goes to the emitter. */
  void open() {
    oom.read(link, kills -> killsBefore = kills);
    opening.open(link, this);
    started.onCancelled(() -> link.execute(this::abandon));
  }

  private void abandon() {
    abandoned = true;
    if (stdin != null && !used) {
      undo();
    }
  }

  /** Somebody has the command in hand. */
  void use() {
    used = true;
  }

  DemandStream<ExecEvent> events() {
    return events;
  }

  /** The way to stdin. */
  SendWindow stdin() {
    link.requireAlive();
    if (stdin == null || !opening.stdinOpen()) {
      throw SendWindow.precondition("stdin of " + opening.id() + " is not open");
    }
    return stdin;
  }

  /** Another channel took the command over; this one hears nothing more. */
  void supersede() {
    fail(SendWindow.precondition(opening.id() + " was attached again, which ended this stream"));
  }

  String id() {
    return opening.id();
  }

  @Override
  void onFrame(Frame frame) {
    switch (frame.type()) {
      case FrameType.OUTPUT -> onOutput(frame);
      case FrameType.STARTED -> onStarted(frame.fields());
      case FrameType.EXIT -> onExit(frame.fields());
      case FrameType.WINDOW -> onWindow(frame.fields());
      case FrameType.INPUT_CLOSED -> closeStdin("the command takes no more input");
      case FrameType.FAIL -> onFail(GuestFailure.of(frame));
      case FrameType.OK -> frame.fields().end();
      default -> throw new MalformedFrameException("frame type " + frame.type() + " for an exec");
    }
  }

  private void onOutput(Frame frame) {
    incoming.output(frame);
    events.offerMore();
  }

  private void onStarted(FieldReader fields) {
    long pid = fields.u32();
    long accepted = fields.u64();
    fields.end();
    if (stdin != null) {
      throw new MalformedFrameException("started twice, second pid " + pid);
    }
    oom.explain(killsBefore);
    stdin = new SendWindow(link, channel, accepted, !opening.terminal());
    if (abandoned) {
      undo();
    } else {
      started.complete(new GuestExec(link, this, opening.id(), pid));
    }
  }

  /** Nobody waits for the exec that just started: as if it had never been asked for, unless it was there before. */
  private void undo() {
    if (opening.fresh()) {
      signal(SIGKILL, Exec.SignalTarget.TREE);
      link.send(FrameType.RELEASE, 0, channel, f -> f.str(opening.id()));
    }
    link.send(FrameType.CANCEL, 0, channel, f -> {});
    link.forget(this);
  }

  void signal(int number, Exec.SignalTarget target) {
    link.send(FrameType.SIGNAL, 0, channel, f -> f.u8(number).u8(code(target)));
    if (target == Exec.SignalTarget.TREE) {
      opening.shell().ifPresent(shell -> link.schedule(() -> endUnlessAtRest(shell), REST_MILLIS));
    }
  }

  /** What a shell does by itself ends only with the shell. */
  private void endUnlessAtRest(String shell) {
    ExecExchange session = link.boundExec(shell);
    if (!ended && session != null) {
      session.signal(SIGKILL, Exec.SignalTarget.TREE);
    }
  }

  private static int code(Exec.SignalTarget target) {
    return switch (target) {
      case PROCESS -> 0;
      case GROUP -> 1;
      case TREE -> 2;
    };
  }

  void resize(int columns, int rows) {
    link.send(FrameType.RESIZE, 0, channel, f -> f.u16(columns).u16(rows));
  }

  private void onWindow(FieldReader fields) {
    if (fields.u8() != 0 || stdin == null) {
      throw new MalformedFrameException("window for a stream the host does not send");
    }
    fields.u64();
    stdin.raise(fields.u64());
    fields.end();
  }

  private void closeStdin(String why) {
    if (stdin != null && opening.stdinOpen()) {
      stdin.close(SendWindow.precondition(why));
    }
  }

  private void onFail(GuestFailure failure) {
    SandgateException cause = failure.toException(Operation.EXEC, opening.subject());
    if (stdin == null) {
      link.forget(this);
      started.fail(cause);
    } else if (failure.isBadState()) {
      stdin.close(cause);
    } else {
      fail(cause);
    }
  }

  private void onExit(FieldReader fields) {
    ended = true;
    int code = fields.i32();
    int signal = fields.u8();
    Duration wall = micros(fields.u64());
    Duration cpu = micros(fields.u64());
    long peak = fields.u64();
    OutputOffsets end = new OutputOffsets(fields.u64(), fields.u64());
    // All bits set is -1, which says the same here.
    ExecUsage usage = new ExecUsage(wall, cpu, peak, fields.u64(), fields.u64());
    fields.end();
    link.forget(this);
    closeStdin("the command has ended");
    oom.read(
        link,
        kills -> {
          oom.explain(kills);
          end(new Exited(code, signal, kills > killsBefore, end, usage));
        });
  }

  private void end(Exited event) {
    exit = event;
    events.end(null);
  }

  private static Duration micros(long value) {
    return Duration.of(value, ChronoUnit.MICROS);
  }

  @Override
  void onLost(SandgateException reason) {
    fail(reason);
  }

  private void fail(SandgateException reason) {
    ended = true;
    link.forget(this);
    started.fail(reason);
    if (stdin != null) {
      stdin.close(reason);
    }
    events.abort(reason);
  }

  @Override
  public @Nullable ExecEvent poll() {
    Chunk chunk = incoming.poll();
    if (chunk != null) {
      Stream stream = chunk.stream == 1 ? Stream.STDOUT : Stream.STDERR;
      ByteBuffer data = chunk.bytes();
      return new Output(stream, chunk.offset, data);
    }
    ExecEvent last = exit;
    exit = null;
    return last;
  }

  @Override
  public boolean isEmpty() {
    return incoming.isEmpty() && exit == null;
  }

  @Override
  public void delivered(ExecEvent item) {
    incoming.delivered();
  }

  @Override
  public void wanting() {
    incoming.grant();
  }

  @Override
  public void cancelled() {
    incoming.close();
    exit = null;
  }
}
