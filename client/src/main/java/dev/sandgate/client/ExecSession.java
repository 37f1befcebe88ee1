// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import dev.sandgate.client.rpc.DemandQueue;
import dev.sandgate.client.rpc.RpcCall;
import dev.sandgate.client.rpc.RpcFailure;
import dev.sandgate.client.rpc.RpcLane;
import dev.sandgate.client.rpc.RpcObserver;
import dev.sandgate.proto.v1.AttachExecRequest;
import dev.sandgate.proto.v1.ExecStarted;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.InteractRequest;
import dev.sandgate.proto.v1.StdinChunk;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One command's stream across connections. When a connection is lost it attaches again where it was; a command is
 * never started again, since it may have run, unless the gateway says that no node has seen it. Everything happens on one lane's event loop.
 */
final class ExecSession implements RpcObserver<dev.sandgate.proto.v1.ExecEvent> {

  private final RpcLane lane;
  private final String sandboxId;
  private final String execId;
  private final Offsets offsets;
  private final Backoff backoff;
  private final DemandQueue<ExecEvent> events;
  private final Stdin stdin = new Stdin();
  private final UniEmitter<? super ExecSession> starting;
  private @Nullable RpcCall<InteractRequest, dev.sandgate.proto.v1.ExecEvent> call;
  private @Nullable InteractRequest first;
  private boolean lost;
  private boolean started;
  private boolean over;

  ExecSession(Target target, Offsets offsets, UniEmitter<? super ExecSession> starting) {
    this.lane = target.lane();
    this.sandboxId = target.sandboxId();
    this.execId = target.execId();
    this.offsets = offsets;
    this.backoff = target.backoff();
    this.starting = starting;
    this.events = new DemandQueue<>(lane, this::fetchOne, this::detach);
  }

  /** Which command, and over which connection. */
  record Target(RpcLane lane, String sandboxId, String execId, Backoff backoff) {}

  /** Sends the first request of the session. */
  void open(InteractRequest request) {
    lane.execute(
        () -> {
          first = request;
          connect(request);
        });
  }

  private void connect(InteractRequest request) {
    if (over) {
      return;
    }
    RpcCall<InteractRequest, dev.sandgate.proto.v1.ExecEvent> opened =
        lane.call(ExecsGrpcClient.Interact, this);
    call = opened;
    opened.write(request);
    events.opened();
  }

  String execId() {
    return execId;
  }

  Offsets offsets() {
    return offsets;
  }

  DemandQueue<ExecEvent> events() {
    return events;
  }

  void write(ByteString data, boolean end, UniEmitter<? super Void> done) {
    lane.execute(
        () -> {
          StdinChunk chunk = stdin.write(data, end, done);
          if (chunk != null && started) {
            send(chunk);
          }
        });
  }

  private void send(StdinChunk chunk) {
    RpcCall<InteractRequest, ?> open = call;
    if (open != null) {
      open.write(InteractRequest.newBuilder().setSandboxId(sandboxId).setStdin(chunk).build());
    }
  }

  /** Stops listening; the command goes on. */
  void detach() {
    lane.execute(
        () -> {
          if (!over) {
            over = true;
            SandgateClientException reason = SandgateClientException.precondition("detached");
            stdin.close(reason);
            events.end(reason);
            cancelCall();
          }
        });
  }

  /** Stops listening when the caller gave up before the command was known to run. */
  void detachUnlessStarted() {
    lane.execute(
        () -> {
          if (!started) {
            detach();
          }
        });
  }

  private void cancelCall() {
    if (call != null) {
      call.cancel();
    }
  }

  private void fetchOne() {
    if (call != null) {
      call.fetch(1);
    }
  }

  @Override
  public void message(dev.sandgate.proto.v1.ExecEvent message) {
    backoff.reset();
    first = null;
    lost = false;
    switch (message.getEventCase()) {
      case STARTED -> started(message.getStarted());
      case OUTPUT -> events.received(offsets.output(message.getOutput()));
      case TRUNCATED -> events.received(offsets.truncated(message.getTruncated()));
      case STDIN_ACCEPTED -> {
        stdin.accepted(message.getStdinAccepted());
        events.received(List.of());
      }
      case EXITED -> exited(message.getExited());
      case EVENT_NOT_SET -> events.received(List.of());
    }
  }

  private void started(ExecStarted event) {
    stdin.resume(event.getStdinOffset()).forEach(this::send);
    if (started) {
      events.received(List.of());
      return;
    }
    started = true;
    events.received(List.of(new ExecEvent.Started(event.getExecId(), event.getPid())));
    starting.complete(this);
  }

  private void exited(dev.sandgate.proto.v1.ExecResult result) {
    over = true;
    stdin.close(SandgateClientException.precondition("the command ended"));
    if (ExecResult.known(result)) {
      events.received(List.of(new ExecEvent.Exited(new ExecResult(result))));
      events.end(null);
    } else {
      String reason = result.getKillReason();
      events.end(unknown(reason.isEmpty() ? "its end is not known" : "killed: " + reason, null));
    }
    leave();
  }

  // Not a reset: the stream ends by itself once both sides said so.
  private void leave() {
    if (call != null) {
      call.end();
      call.fetch(1);
    }
  }

  @Override
  public void end(@Nullable RpcFailure failure) {
    if (over) {
      return;
    }
    SandgateClientException reason =
        failure == null
            ? unknown("its stream ended without its outcome", null)
            : SandgateClientException.of(failure);
    if (first != null && reason.worthRepeating()) {
      again(first, reason);
    } else if (reason.outcomeUnknown() || (started && reason.unreachable())) {
      first = null;
      lost = true;
      again(attach(), reason);
    } else {
      finish(lost ? unknown(reason.getMessage(), reason) : reason);
    }
  }

  private void again(InteractRequest request, SandgateClientException reason) {
    if (!backoff.again(lane, () -> connect(request))) {
      finish(lost ? unknown(reason.getMessage(), reason) : reason);
    }
  }

  private InteractRequest attach() {
    return attach(sandboxId, execId, offsets);
  }

  static InteractRequest attach(String sandboxId, String execId, Offsets offsets) {
    return InteractRequest.newBuilder()
        .setSandboxId(sandboxId)
        .setAttach(
            AttachExecRequest.newBuilder()
                .setSandboxId(sandboxId)
                .setExecId(execId)
                .setStdoutOffset(offsets.stdout())
                .setStderrOffset(offsets.stderr()))
        .build();
  }

  private void finish(SandgateClientException reason) {
    over = true;
    stdin.close(reason);
    starting.fail(reason);
    events.end(reason);
  }

  private SandgateClientException unknown(@Nullable String why, @Nullable Throwable cause) {
    return SandgateClientException.unknownOutcome(
        "exec %s in %s: %s; it may have run, and is never run again; what is known: sandgate exec --id %s, or attach from stdout=%d stderr=%d"
            .formatted(execId, sandboxId, why, execId, offsets.stdout(), offsets.stderr()),
        cause);
  }
}
