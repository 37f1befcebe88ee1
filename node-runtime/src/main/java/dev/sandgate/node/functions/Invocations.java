// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.functions;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandgate.node.rpc.Failures;
import dev.sandgate.proto.v1.InvokeRequest;
import dev.sandgate.proto.v1.InvokeResponse;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls with an id of their caller's, each run once: while it runs, and for ten minutes after it ended as far as 64 MiB of
 * requests and answers hold. One that certainly did nothing is forgotten at once, so that it may be tried again.
 */
final class Invocations {

  private static final Duration KEPT = Duration.ofMinutes(10);
  private static final long MOST_BYTES = 64L << 20;
  private static final int ENTRY_BYTES = 256;

  private final Map<String, Once> running = new ConcurrentHashMap<>();
  private final Cache<String, Once> ended =
      Caffeine.newBuilder()
          .expireAfterWrite(KEPT)
          .maximumWeight(MOST_BYTES)
          .weigher((String _, Once once) -> once.weight())
          .build();

  /** A call and what came or will come of it. */
  private record Once(InvokeRequest request, CompletableFuture<InvokeResponse> answer) {

    /** For who joined it in the moment before it was seen to have ended already. */
    void settle(@Nullable InvokeResponse response, @Nullable Throwable failure) {
      if (failure == null) {
        answer.complete(response);
      } else {
        answer.completeExceptionally(failure);
      }
    }

    int weight() {
      int answered = answer.isCompletedExceptionally() ? 0 : answer.join().getSerializedSize();
      return ENTRY_BYTES + request.getSerializedSize() + answered;
    }
  }

  /** Runs a call unless one of the same id was run; cancelling stops the waiting, not the call. */
  Uni<InvokeResponse> once(InvokeRequest request, Supplier<Uni<InvokeResponse>> run) {
    return Uni.createFrom().completionStage(() -> of(request, run).copy());
  }

  private CompletableFuture<InvokeResponse> of(
      InvokeRequest request, Supplier<Uni<InvokeResponse>> run) {
    String id = request.getInvocationId();
    Once mine = new Once(request, new CompletableFuture<>());
    Once first = running.putIfAbsent(id, mine);
    Once known = first == null ? ended.getIfPresent(id) : first;
    if (known == null) {
      run.get()
          .subscribe()
          .with(answer -> end(id, mine, answer), failure -> end(id, mine, failure));
      return mine.answer();
    }
    if (first == null) {
      var _ = known.answer().whenComplete(mine::settle);
      running.remove(id, mine);
    }
    if (!known.request().equals(request)) {
      throw new SandgateException(
          ErrorCode.ALREADY_EXISTS,
          "invocation_id",
          "invocation_id: " + id + " was used with another request; choose a new one",
          null);
    }
    return known.answer();
  }

  private void end(String id, Once once, InvokeResponse answer) {
    once.answer().complete(answer);
    ended.put(id, once);
    running.remove(id, once);
  }

  private void end(String id, Once once, Throwable failure) {
    SandgateException known = Failures.known(failure);
    once.answer().completeExceptionally(known);
    if (mayHaveRun(known.code())) {
      ended.put(id, once);
    }
    running.remove(id, once);
  }

  private static boolean mayHaveRun(ErrorCode code) {
    return switch (code.category()) {
      case INTERNAL -> true;
      case USER, RESOURCES, EXTERNAL -> false;
    };
  }
}
