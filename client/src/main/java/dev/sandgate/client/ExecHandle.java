// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.proto.v1.ExecsGrpcClient;
import dev.sandgate.proto.v1.ResizeExecRequest;
import dev.sandgate.proto.v1.Signal;
import dev.sandgate.proto.v1.SignalExecRequest;
import dev.sandgate.proto.v1.SignalTarget;
import dev.sandgate.proto.v1.TerminalSize;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/**
 * A command that was started or attached to. Methods may be called from any thread and never block. The command goes
 * on when the handle is dropped; {@link #detach} frees the stream.
 */
public final class ExecHandle {

  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int HANG_UP = 1;
  private static final int KILL = 9;

  private final Calls calls;
  private final String sandboxId;
  private final ExecSession session;

  ExecHandle(Calls calls, String sandboxId, ExecSession session) {
    this.calls = calls;
    this.sandboxId = sandboxId;
    this.session = session;
  }

  /**
   * The command's id.
   *
   * @return never empty
   */
  public String id() {
    return session.execId();
  }

  /**
   * What the command does: Started, then output as it is asked for, last Exited. Lost connections are healed by
   * attaching again at the last offset. Fails with UNKNOWN_OUTCOME when it is not known how the command ended, never
   * completes without Exited. Cancelling detaches.
   *
   * @return the events, for one subscriber; they come on an event loop
   */
  public Multi<ExecEvent> events() {
    return Multi.createFrom().publisher(session.events());
  }

  /**
   * Waits for the end and drops the output; instead of {@link #events}.
   *
   * @return the result; fails as {@link #events} does
   */
  public Uni<ExecResult> result() {
    return events()
        .select()
        .where(event -> event instanceof ExecEvent.Exited)
        .toUni()
        .map(event -> ((ExecEvent.Exited) event).result());
  }

  /**
   * Writes to stdin, which must have been asked for. Bytes are sent once each, also across lost connections. Events
   * must be read meanwhile: acknowledgements come on the same stream.
   *
   * @param data the bytes; not to be changed before the Uni completes
   * @return completes when the node took them; fails with FAILED_PRECONDITION when stdin is closed
   */
  public Uni<Void> write(ByteBuffer data) {
    return write(UnsafeByteOperations.unsafeWrap(data), false);
  }

  /**
   * Ends stdin: the command reads end of file.
   *
   * @return completes when the node took it
   */
  public Uni<Void> closeStdin() {
    return write(ByteString.EMPTY, true);
  }

  private Uni<Void> write(ByteString data, boolean end) {
    if (data.size() <= CHUNK_BYTES) {
      return Uni.createFrom().emitter(done -> session.write(data, end, done));
    }
    return write(data.substring(0, CHUNK_BYTES), false)
        .chain(() -> write(data.substring(CHUNK_BYTES), end));
  }

  /**
   * Sends a signal to the terminal's foreground group, or the command's process group. A command that ended is no
   * error.
   *
   * @param number 1 … 64
   * @return completes when it was sent
   */
  public Uni<Void> signal(int number) {
    return signal(number, SignalTarget.SIGNAL_TARGET_GROUP);
  }

  /**
   * Hangs up as a terminal that is closed does: SIGHUP to the foreground group and to the command itself. What ignores
   * it goes on.
   *
   * @return completes when both were sent
   */
  public Uni<Void> hangUp() {
    return signal(HANG_UP).chain(() -> signal(HANG_UP, SignalTarget.SIGNAL_TARGET_PROCESS));
  }

  /**
   * Kills the command with every descendant.
   *
   * @return completes when the signal was sent
   */
  public Uni<Void> kill() {
    return signal(KILL, SignalTarget.SIGNAL_TARGET_TREE);
  }

  private Uni<Void> signal(int number, SignalTarget target) {
    SignalExecRequest request =
        SignalExecRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setExecId(id())
            .setSignal(Signal.newBuilder().setNumber(number).setTarget(target))
            .build();
    return calls.unary(ExecsGrpcClient.Signal, request).replaceWithVoid();
  }

  /**
   * Changes the size of the command's terminal.
   *
   * @param columns 1 … 65,535
   * @param rows 1 … 65,535
   * @return completes when it was changed
   */
  public Uni<Void> resize(int columns, int rows) {
    ResizeExecRequest request =
        ResizeExecRequest.newBuilder()
            .setSandboxId(sandboxId)
            .setExecId(id())
            .setSize(TerminalSize.newBuilder().setColumns(columns).setRows(rows))
            .build();
    return calls.unary(ExecsGrpcClient.Resize, request).replaceWithVoid();
  }

  /** Stops listening; the command goes on. {@link #events} fails with FAILED_PRECONDITION. Idempotent. */
  public void detach() {
    session.detach();
  }
}
