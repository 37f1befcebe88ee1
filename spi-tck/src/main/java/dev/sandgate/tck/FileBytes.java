// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import io.smallrye.mutiny.Multi;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;

/** Bytes to and from the streams of file operations and connections. */
final class FileBytes {

  private static final int CHUNK = 65_536;

  private FileBytes() {}

  /** The bytes in chunks of at most 64 KiB, made on demand. */
  static Multi<ByteBuffer> chunks(byte[] data) {
    int count = (data.length + CHUNK - 1) / CHUNK;
    return Multi.createFrom()
        .range(0, count)
        .map(i -> ByteBuffer.wrap(data, i * CHUNK, Math.min(CHUNK, data.length - i * CHUNK)));
  }

  /** Everything a stream carries, with chunk sizes checked. */
  static Capture all(Multi<ByteBuffer> stream) {
    Capture capture = new Capture(0);
    return Waiting.on(
        stream.onItem().invoke(chunk -> add(capture, chunk)).collect().last().replaceWith(capture),
        Duration.ofSeconds(60));
  }

  private static void add(Capture capture, ByteBuffer chunk) {
    if (!chunk.hasRemaining() || chunk.remaining() > CHUNK) {
      throw new AssertionError("a chunk of " + chunk.remaining() + " bytes");
    }
    capture.add(chunk);
  }

  /** A reader that counts chunks and asks only when told. */
  static final class Slow implements Flow.Subscriber<ByteBuffer> {

    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private final AtomicInteger chunks = new AtomicInteger();

    @Override
    public void onSubscribe(Flow.Subscription accepted) {
      subscription.complete(accepted);
    }

    @Override
    public void onNext(ByteBuffer chunk) {
      chunks.incrementAndGet();
    }

    @Override
    public void onError(Throwable failure) {
      chunks.set(-1);
    }

    @Override
    public void onComplete() {
      chunks.set(-2);
    }

    void request(long n) {
      Waiting.on(subscription).request(n);
    }

    void cancel() {
      Waiting.on(subscription).cancel();
    }

    int chunks() {
      return chunks.get();
    }
  }
}
