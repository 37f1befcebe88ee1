// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static dev.sandgate.spi.SandgateException.invalid;

import com.google.protobuf.ByteString;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.proto.v1.TerminalSize;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What callers send to a running command: stdin, signals, sizes. */
final class Input {

  static final int CHUNK = 64 << 10;

  private Input() {}

  /** Writes one chunk; gives the position after it. */
  static Uni<Long> write(ExecRecord record, StdinChunk chunk) {
    Fields.range("chunk.offset", chunk.getOffset(), 0, Long.MAX_VALUE - CHUNK);
    if (chunk.getData().size() > CHUNK) {
      throw invalid(
          "chunk.data",
          "%,d bytes are too many; send at most 64 KiB".formatted(chunk.getData().size()));
    }
    if (!record.command().getStdin()) {
      throw closed("the command was started without stdin; set command.stdin");
    }
    return inHand(record)
        .flatMap(_ -> record.stdinTurns().take(() -> writeNow(record, chunk)))
        .invoke(record::stdinTaken);
  }

  private static Uni<Long> writeNow(ExecRecord record, StdinChunk chunk) {
    Exec exec = record.handle();
    if (exec == null || record.result() != null) {
      throw closed("the command has ended");
    }
    return exec.write(chunk.getOffset(), chunk.getData().asReadOnlyByteBuffer(), chunk.getEnd());
  }

  /** After a restart of the node a command is known before it is in hand again. */
  private static Uni<ExecRecord> inHand(ExecRecord record) {
    return record.started().isDone()
        ? Uni.createFrom().item(record)
        : Uni.createFrom().completionStage(() -> record.started().copy());
  }

  /** Writes all of it and ends stdin. */
  static Uni<Long> writeAll(ExecRecord record, ByteString data) {
    List<ByteBuffer> chunks = new ArrayList<>();
    for (int begin = 0; begin < data.size() || begin == 0; begin += CHUNK) {
      chunks.add(
          data.substring(begin, Math.min(data.size(), begin + CHUNK)).asReadOnlyByteBuffer());
    }
    Uni<Long> written = Uni.createFrom().item(0L);
    for (int i = 0; i < chunks.size(); i++) {
      ByteBuffer chunk = chunks.get(i);
      boolean last = i == chunks.size() - 1;
      written = written.flatMap(offset -> handle(record).write(offset, chunk, last));
    }
    return written;
  }

  static Uni<Void> signal(ExecRecord record, Signal signal) {
    int number = (int) Fields.range("signal.number", signal.getNumber(), 1, 64);
    SignalTarget target =
        switch (signal.getTarget()) {
          case SIGNAL_TARGET_PROCESS -> SignalTarget.PROCESS;
          case SIGNAL_TARGET_UNSPECIFIED, SIGNAL_TARGET_GROUP -> SignalTarget.GROUP;
          case SIGNAL_TARGET_TREE -> SignalTarget.TREE;
          case UNRECOGNIZED -> throw invalid("signal.target", "unknown; give SIGNAL_TARGET_GROUP");
        };
    return inHand(record).flatMap(_ -> signal(record, number, target));
  }

  private static Uni<Void> signal(ExecRecord record, int number, SignalTarget target) {
    Exec exec = record.handle();
    if (exec == null || record.result() != null) {
      return Uni.createFrom().voidItem();
    }
    boolean tree = target == SignalTarget.TREE;
    if (tree || number == 9) {
      record.killedFor("CALLER");
    }
    Uni<Void> sent = exec.signal(tree ? 9 : number, target);
    return tree ? sent.invoke(record::treeKilled) : sent;
  }

  static Uni<Void> resize(ExecRecord record, TerminalSize asked) {
    dev.sandgate.spi.TerminalSize size = Commands.size("size", asked);
    return inHand(record).flatMap(_ -> resize(record, size));
  }

  private static Uni<Void> resize(ExecRecord record, dev.sandgate.spi.TerminalSize size) {
    Exec exec = record.handle();
    return exec == null || record.result() != null
        ? Uni.createFrom().voidItem()
        : exec.resize(size);
  }

  private static Exec handle(ExecRecord record) {
    Exec exec = record.handle();
    if (exec == null) {
      throw closed("the command does not run");
    }
    return exec;
  }

  private static SandgateException closed(String why) {
    return new SandgateException(ErrorCode.FAILED_PRECONDITION, "stdin is closed: " + why);
  }
}
