// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.rpc.Call;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.ExecEvent;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.StartExecRequest;
import dev.sandgate.proto.v1.StdinAccepted;
import dev.sandgate.proto.v1.StdinChunk;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.OutputOffsets;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One interactive stream. Stdin goes to the command one chunk at a time; signals and sizes overtake chunks
 * that wait, of which only so many are taken from the caller. Runs on the call's event loop.
 */
final class Interaction {

  private static final int WAITING_CHUNKS = 8;

  private final ExecsService execs;
  private final Call<InteractRequest, ExecEvent> call;
  private final ArrayDeque<StdinChunk> waiting = new ArrayDeque<>();
  private @Nullable ExecRecord record;
  private @Nullable Reader reader;
  private boolean begun;
  private boolean writing;
  private boolean stdinClosed;

  Interaction(ExecsService execs, Call<InteractRequest, ExecEvent> call) {
    this.execs = execs;
    this.call = call;
  }

  void begin() {
    call.pause();
    call.onMessage(this::received);
    call.onEnd(this::ended);
    call.fetch(1);
  }

  private void received(InteractRequest request) {
    if (!begun) {
      begun = true;
      first(request);
      return;
    }
    ExecRecord running = record;
    if (running == null) {
      throw new IllegalStateException("a message before its turn");
    }
    switch (request.getMessageCase()) {
      case STDIN -> waiting.add(request.getStdin());
      case RESIZE -> send(Input.resize(running, request.getResize()));
      case SIGNAL -> send(Input.signal(running, request.getSignal()));
      case START, ATTACH, MESSAGE_NOT_SET ->
          throw invalid(
              "message", "only the first message starts or attaches; send stdin, resize or signal");
    }
    write();
    more();
  }

  private void first(InteractRequest request) {
    switch (request.getMessageCase()) {
      case START -> {
        StartExecRequest start = request.getStart();
        OutputOffsets from = ExecsService.offsets(start.getStdoutOffset(), start.getStderrOffset());
        String sandboxId = sandboxId(request, start.getSandboxId());
        follow(execs.started(sandboxId, start.getExecId(), start.getCommand()), from);
      }
      case ATTACH -> {
        AttachExecRequest attach = request.getAttach();
        OutputOffsets from =
            ExecsService.offsets(attach.getStdoutOffset(), attach.getStderrOffset());
        String sandboxId = sandboxId(request, attach.getSandboxId());
        follow(execs.known(sandboxId, attach.getExecId()).subscribeAsCompletionStage(), from);
      }
      case STDIN, RESIZE, SIGNAL, MESSAGE_NOT_SET ->
          throw invalid("message", "the first message must have start or attach");
    }
  }

  private static String sandboxId(InteractRequest request, String inner) {
    if (!inner.isEmpty() && !inner.equals(request.getSandboxId())) {
      throw invalid("sandbox_id", "it differs from the one inside; leave the inner one empty");
    }
    return request.getSandboxId();
  }

  private void follow(CompletionStage<ExecRecord> found, OutputOffsets from) {
    found.whenComplete(
        (known, failure) ->
            call.execute(
                () -> {
                  if (failure != null) {
                    call.fail(failure);
                    return;
                  }
                  record = known;
                  Reader cursor = new Reader(known, call, from);
                  reader = cursor;
                  cursor.begin();
                  more();
                }));
  }

  /** Takes another message unless too much stdin waits. */
  private void more() {
    if (waiting.size() < WAITING_CHUNKS) {
      call.fetch(1);
    }
  }

  private void write() {
    ExecRecord running = record;
    if (writing || waiting.isEmpty() || running == null) {
      return;
    }
    boolean full = waiting.size() >= WAITING_CHUNKS;
    StdinChunk chunk = waiting.remove();
    if (stdinClosed || running.result() != null) {
      accepted(running.stdinOffset(), true);
      continueAfter(full);
      return;
    }
    writing = true;
    Uni.createFrom()
        .deferred(() -> Input.write(running, chunk))
        .subscribe()
        .with(
            taken -> call.execute(() -> written(taken, chunk.getEnd(), full)),
            failure -> call.execute(() -> notWritten(running, chunk, failure, full)));
  }

  private void written(long taken, boolean end, boolean full) {
    writing = false;
    stdinClosed = end;
    accepted(taken, end);
    continueAfter(full);
  }

  /** A command that closed its stdin, or ended, is told to the caller as an event; a gap is an error. */
  private void notWritten(ExecRecord running, StdinChunk chunk, Throwable failure, boolean full) {
    writing = false;
    boolean refused =
        failure instanceof SandgateException known && known.code() == ErrorCode.FAILED_PRECONDITION;
    if (!refused || chunk.getOffset() > running.stdinOffset()) {
      call.fail(failure);
      return;
    }
    stdinClosed = true;
    accepted(running.stdinOffset(), true);
    continueAfter(full);
  }

  private void continueAfter(boolean full) {
    write();
    if (full && waiting.size() < WAITING_CHUNKS) {
      call.fetch(1);
    }
  }

  private void accepted(long offset, boolean closed) {
    Reader cursor = reader;
    if (cursor != null) {
      cursor.accepted(StdinAccepted.newBuilder().setOffset(offset).setClosed(closed).build());
    }
  }

  private void send(Uni<Void> sent) {
    sent.subscribe().with(_ -> {}, failure -> call.execute(() -> call.fail(failure)));
  }

  /** The caller half-closed: output goes on; stdin ends only when a chunk said so. */
  private void ended() {
    if (!begun) {
      call.fail(invalid("message", "the first message must have start or attach"));
    }
  }
}
