// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import com.google.protobuf.ByteString;
import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.proto.v1.ExportEnvironmentResponse;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What is written becomes messages of a call, at the pace at which the caller reads; blocks the writer, and holds one message. */
final class CallOutput extends OutputStream {

  private static final int MESSAGE_BYTES = 64 << 10;

  private final Call<?, ExportEnvironmentResponse> call;
  private final Duration stall;
  private final byte[] buffer = new byte[MESSAGE_BYTES];
  private int used;
  private @Nullable Runnable waiting;

  /**
   * Begins.
   *
   * @param stall how long the caller may take nothing before the writer gets DEADLINE_EXCEEDED
   */
  CallOutput(Call<?, ExportEnvironmentResponse> call, Duration stall) {
    this.stall = stall;
    this.call = call;
    call.execute(() -> call.onDrain(this::drained));
  }

  @Override
  public void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) {
    int at = offset;
    while (at < offset + count) {
      int part = Math.min(offset + count - at, buffer.length - used);
      System.arraycopy(bytes, at, buffer, used, part);
      used += part;
      at += part;
      if (used == buffer.length) {
        send();
      }
    }
  }

  /** Sends what is left. */
  void end() {
    if (used > 0) {
      send();
    }
  }

  private void send() {
    ExportEnvironmentResponse part =
        ExportEnvironmentResponse.newBuilder()
            .setData(ByteString.copyFrom(buffer, 0, used))
            .build();
    used = 0;
    CompletableFuture<Boolean> sent = new CompletableFuture<>();
    call.execute(() -> offer(part, sent));
    try {
      Blocking.await(sent, stall.toMillis());
    } catch (SandgateException e) {
      throw e.code() == ErrorCode.DEADLINE_EXCEEDED
          ? Stall.ended("the caller took nothing", stall)
          : e;
    }
  }

  /** On the call's event loop; a call that is over interrupts the writer. */
  private void offer(ExportEnvironmentResponse part, CompletableFuture<Boolean> sent) {
    if (call.writable()) {
      call.send(part);
      sent.complete(true);
    } else {
      waiting = () -> offer(part, sent);
    }
  }

  private void drained() {
    Runnable next = waiting;
    waiting = null;
    if (next != null) {
      next.run();
    }
  }
}
