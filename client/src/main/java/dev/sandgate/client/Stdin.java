// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import com.google.protobuf.ByteString;
import dev.sandgate.proto.v1.StdinAccepted;
import dev.sandgate.proto.v1.StdinChunk;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What was written to a command's stdin and is not yet taken by the node. Used on one event loop. */
final class Stdin {

  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private long next;
  private boolean ended;
  private @Nullable SandgateClientException closed;

  private record Pending(StdinChunk chunk, UniEmitter<? super Void> done) {

    long end() {
      return chunk.getOffset() + chunk.getData().size();
    }
  }

  /** Takes bytes to write; the emitter completes when the node took them. Null when refused. */
  @Nullable StdinChunk write(ByteString data, boolean end, UniEmitter<? super Void> done) {
    if (closed != null) {
      done.fail(closed);
      return null;
    }
    if (ended) {
      done.fail(SandgateClientException.precondition("stdin was ended before"));
      return null;
    }
    StdinChunk chunk = StdinChunk.newBuilder().setOffset(next).setData(data).setEnd(end).build();
    next += data.size();
    ended = end;
    pending.add(new Pending(chunk, done));
    return chunk;
  }

  void accepted(StdinAccepted accepted) {
    taken(accepted.getOffset(), accepted.getClosed());
    if (accepted.getClosed()) {
      close(SandgateClientException.precondition("the command closed its stdin"));
    }
  }

  /** What to send again on a new stream whose node took stdin up to an offset. */
  List<StdinChunk> resume(long offset) {
    taken(offset, false);
    return pending.stream().map(Pending::chunk).toList();
  }

  // The end mark has no byte to acknowledge: it counts as taken when the node says closed.
  private void taken(long offset, boolean end) {
    while (!pending.isEmpty()
        && pending.element().end() <= offset
        && (end || !pending.element().chunk().getEnd())) {
      pending.remove().done().complete(null);
    }
  }

  /** Fails what is pending and every later write. */
  void close(SandgateClientException reason) {
    closed = reason;
    pending.forEach(write -> settle(write, reason));
    pending.clear();
  }

  // An end mark that comes too late says nothing that is not true already.
  private static void settle(Pending write, SandgateClientException reason) {
    if (write.chunk().getData().isEmpty()) {
      write.done().complete(null);
    } else {
      write.done().fail(reason);
    }
  }
}
