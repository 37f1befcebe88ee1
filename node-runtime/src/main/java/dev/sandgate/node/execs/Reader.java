// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static dev.sandgate.proto.v1.OutputStream.OUTPUT_STREAM_STDERR;
import static dev.sandgate.proto.v1.OutputStream.OUTPUT_STREAM_STDOUT;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sandgate.node.execs.Output.Next;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.ExecOutput;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.ExecStarted;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.proto.v1.StdinAccepted;
import dev.sandgate.spi.OutputOffsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A cursor into a record, sending to one call at that call's pace; a caller that stops reading costs nothing
 * but the cursor. Runs on the call's event loop; {@link #wake} comes from anywhere.
 */
final class Reader {

  private final ExecRecord record;
  private final Call<? extends MessageLite, ExecEvent> call;
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile long stdout;
  private volatile long stderr;
  private boolean fetching;
  private boolean pumping;
  private boolean stderrFirst;
  private @Nullable StdinAccepted accepted;

  Reader(ExecRecord record, Call<? extends MessageLite, ExecEvent> call, OutputOffsets from) {
    this.record = record;
    this.call = call;
    this.stdout = from.stdout();
    this.stderr = from.stderr();
  }

  /** Begins to send. */
  void begin() {
    if (call.closed()) {
      return;
    }
    record.attach(this);
    call.onClose(() -> record.detach(this));
    call.onDrain(this::pump);
    call.send(
        ExecEvent.newBuilder()
            .setStarted(
                ExecStarted.newBuilder()
                    .setExecId(record.execId())
                    .setPid(record.pid())
                    .setStdinOffset(record.stdinOffset()))
            .build());
    pump();
  }

  /** Says that there is something new. */
  void wake() {
    if (woken.compareAndSet(false, true)) {
      call.later(this::pump);
    }
  }

  long position(OutputStream stream) {
    return stream == OUTPUT_STREAM_STDERR ? stderr : stdout;
  }

  /** Acknowledges stdin, in its turn. */
  void accepted(StdinAccepted latest) {
    accepted = latest;
    pump();
  }

  private void pump() {
    woken.set(false);
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      while (!fetching && call.writable() && step()) {
        // Each step sends one message; sending may report a drain, which calls back into here.
      }
    } finally {
      pumping = false;
    }
  }

  private boolean step() {
    StdinAccepted acknowledged = accepted;
    if (acknowledged != null) {
      accepted = null;
      call.send(ExecEvent.newBuilder().setStdinAccepted(acknowledged).build());
      return true;
    }
    ExecResult result = record.result();
    stderrFirst = !stderrFirst;
    OutputStream one = stderrFirst ? OUTPUT_STREAM_STDERR : OUTPUT_STREAM_STDOUT;
    OutputStream other = stderrFirst ? OUTPUT_STREAM_STDOUT : OUTPUT_STREAM_STDERR;
    // One read of a file at a time: the end of another one would let the first be begun again, and
    // be sent twice.
    boolean sent = step(one) || (!fetching && step(other));
    if (!sent && !fetching && result != null) {
      call.finish(ExecEvent.newBuilder().setExited(result).build());
    }
    return sent;
  }

  private boolean step(OutputStream stream) {
    long position = position(stream);
    return switch (record.output().next(stream, position)) {
      case Next.None _ -> false;
      case Next.Bytes part -> {
        send(stream, position, part.bytes());
        yield true;
      }
      case Next.Gap gap -> {
        call.send(
            ExecEvent.newBuilder().setTruncated(Output.gap(stream, position, gap.to())).build());
        moved(stream, gap.to());
        yield true;
      }
      case Next.Stored part -> {
        fetch(stream, part);
        yield false;
      }
    };
  }

  private void fetch(OutputStream stream, Next.Stored part) {
    fetching = true;
    var _ =
        Blocking.start(() -> record.output().stored(stream, part))
            .whenComplete((bytes, failure) -> call.later(() -> fetched(stream, bytes, failure)));
  }

  private void fetched(OutputStream stream, ByteString bytes, @Nullable Throwable failure) {
    fetching = false;
    if (failure != null) {
      call.fail(failure);
      return;
    }
    if (!bytes.isEmpty()) {
      send(stream, position(stream), bytes);
    }
    pump();
  }

  private void send(OutputStream stream, long position, ByteString bytes) {
    call.send(
        ExecEvent.newBuilder()
            .setOutput(ExecOutput.newBuilder().setStream(stream).setOffset(position).setData(bytes))
            .build());
    moved(stream, position + bytes.size());
  }

  private void moved(OutputStream stream, long position) {
    if (stream == OUTPUT_STREAM_STDERR) {
      stderr = position;
    } else {
      stdout = position;
    }
    record.advanced();
  }
}
