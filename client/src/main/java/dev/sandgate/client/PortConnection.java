// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.sandgate.client.rpc.DemandQueue;
import dev.sandgate.client.rpc.RpcCall;
import dev.sandgate.client.rpc.RpcFailure;
import dev.sandgate.client.rpc.RpcLane;
import dev.sandgate.client.rpc.RpcObserver;
import dev.sandgate.proto.v1.PortData;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An open TCP connection into a sandbox. Methods may be called from any thread and never block. */
public final class PortConnection implements AutoCloseable {

  private static final int CHUNK_BYTES = 64 * 1024;

  private final RpcLane lane;
  private final UniEmitter<? super PortConnection> opening;
  private final DemandQueue<ByteBuffer> data;
  private @Nullable RpcCall<PortData, PortData> call;
  private boolean open;
  private boolean ended;

  PortConnection(RpcLane lane, UniEmitter<? super PortConnection> opening) {
    this.lane = lane;
    this.opening = opening;
    this.data = new DemandQueue<>(lane, this::fetchOne, this::close);
  }

  void start(RpcCall<PortData, PortData> started) {
    call = started;
    data.opened();
  }

  RpcObserver<PortData> observer() {
    return new RpcObserver<>() {
      @Override
      public void message(PortData message) {
        received(message);
      }

      @Override
      public void end(@Nullable RpcFailure failure) {
        ended(failure);
      }
    };
  }

  private void received(PortData message) {
    if (!open) {
      open = true;
      opening.complete(this);
    }
    boolean empty = message.getData().isEmpty();
    data.received(empty ? List.of() : List.of(message.getData().asReadOnlyByteBuffer()));
    if (message.getEnd()) {
      ended = true;
      data.end(null);
    }
  }

  private void ended(@Nullable RpcFailure failure) {
    SandgateClientException reason =
        failure == null
            ? SandgateClientException.internal("the connection ended without its end mark")
            : SandgateClientException.of(failure);
    if (!open) {
      opening.fail(reason);
    }
    data.end(failure == null && ended ? null : reason);
  }

  private void fetchOne() {
    if (call != null) {
      call.fetch(1);
    }
  }

  void closeUnlessOpen() {
    lane.execute(
        () -> {
          if (!open) {
            close();
          }
        });
  }

  /**
   * What comes out of the sandbox.
   *
   * @return bytes as they are asked for, read-only, for one subscriber; completes when the other side ended, fails
   *     when the connection broke; cancelling closes
   */
  public Multi<ByteBuffer> data() {
    return Multi.createFrom().publisher(data);
  }

  /**
   * Sends bytes.
   *
   * @param bytes not to be changed before the Uni completes
   * @return completes when the transport took them, which it does no faster than the other side reads
   */
  public Uni<Void> write(ByteBuffer bytes) {
    return Chunks.of(bytes, CHUNK_BYTES)
        .onItem()
        .transformToUniAndConcatenate(part -> send(UnsafeByteOperations.unsafeWrap(part), false))
        .onItem()
        .ignoreAsUni();
  }

  /**
   * Ends this side; the other may still send.
   *
   * @return completes when the transport took it
   */
  public Uni<Void> end() {
    return send(ByteString.EMPTY, true);
  }

  private Uni<Void> send(ByteString bytes, boolean end) {
    PortData message = PortData.newBuilder().setData(bytes).setEnd(end).build();
    return Uni.createFrom()
        .<Void>emitter(emitter -> lane.execute(() -> send(message, emitter)))
        .onFailure()
        .transform(SandgateClientException::of);
  }

  private void send(PortData message, UniEmitter<? super Void> emitter) {
    RpcCall<PortData, PortData> stream = call;
    if (stream == null) {
      emitter.fail(SandgateClientException.precondition("the connection is closed"));
    } else {
      (message.getEnd() ? stream.end(message) : stream.write(message))
          .onComplete(done -> emitter.complete(null), emitter::fail);
    }
  }

  /** Closes both sides at once. Idempotent. */
  @Override
  public void close() {
    lane.execute(
        () -> {
          RpcCall<PortData, PortData> stream = call;
          call = null;
          if (stream != null) {
            stream.cancel();
          }
          data.end(SandgateClientException.precondition("the connection is closed"));
        });
  }
}
