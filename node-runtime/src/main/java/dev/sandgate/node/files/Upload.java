// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import static dev.sandgate.spi.SandgateException.invalid;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.sandgate.node.rpc.Call;
import dev.sandgate.node.rpc.Inflow;
import dev.sandgate.spi.Capability;
import dev.sandgate.spi.Files;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One stream of bytes into a sandbox: the first message says where to, the data of all goes to the backend as it asks
 * for it.
 *
 * @param <Q> requests
 * @param <A> the answer
 */
final class Upload<Q extends MessageLite, A extends MessageLite> {

  private static final int CHUNK = 64 << 10;

  /**
   * What is sent.
   *
   * @param capability the backend must have it
   * @param sandboxId the sandbox that the first message names
   * @param data the bytes of a message
   * @param target checks the first message and gives what to do with the bytes
   */
  record Kind<Q, A>(
      Capability capability,
      Function<Q, String> sandboxId,
      Function<Q, ByteString> data,
      Function<Q, BiFunction<Files, Multi<ByteBuffer>, Uni<A>>> target) {}

  private final FilesService service;
  private final Call<Q, A> call;
  private final Kind<Q, A> kind;

  Upload(FilesService service, Call<Q, A> call, Kind<Q, A> kind) {
    this.service = service;
    this.call = call;
    this.kind = kind;
  }

  void begin() {
    call.pause();
    call.onMessage(this::first);
    call.onEnd(() -> call.fail(invalid("path", "the first message is missing")));
    call.fetch(1);
  }

  private void first(Q request) {
    BiFunction<Files, Multi<ByteBuffer>, Uni<A>> target = kind.target().apply(request);
    service.with(
        kind.capability(),
        kind.sandboxId().apply(request),
        call,
        files -> send(files, target, request));
  }

  private void send(Files files, BiFunction<Files, Multi<ByteBuffer>, Uni<A>> target, Q first) {
    Multi<ByteBuffer> data =
        Multi.createBy()
            .concatenating()
            .streams(Multi.createFrom().item(first), Inflow.of(call))
            .map(request -> checked(kind.data().apply(request)))
            .filter(bytes -> !bytes.isEmpty())
            .map(ByteString::asReadOnlyByteBuffer);
    Cancellable writing =
        target
            .apply(files, data)
            .subscribe()
            .with(
                answer -> call.execute(() -> call.finish(answer)),
                failure -> call.execute(() -> call.fail(failure)));
    call.onClose(writing::cancel);
  }

  private static ByteString checked(ByteString data) {
    if (data.size() > CHUNK) {
      throw invalid("data", "%,d bytes are too many; send at most 64 KiB".formatted(data.size()));
    }
    return data;
  }
}
