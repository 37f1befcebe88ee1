// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Lets those who write to one command do so one after the other: a caller that came back writes while what it sent over its
 * broken connection still waits for the command to read. As many wait as calls are open. Safe for any thread.
 */
final class StdinTurns {

  private CompletableFuture<Void> latest = CompletableFuture.completedFuture(null);

  /** Writes when all who came before have written, or left. */
  Uni<Long> take(Supplier<Uni<Long>> write) {
    return Uni.createFrom()
        .deferred(
            () -> {
              CompletableFuture<Void> over = new CompletableFuture<>();
              CompletableFuture<Void> before = next(over);
              return Uni.createFrom()
                  .completionStage(before::copy)
                  .flatMap(_ -> write.get())
                  .onTermination()
                  .invoke(() -> follow(before, over));
            });
  }

  private static void follow(CompletableFuture<Void> before, CompletableFuture<Void> over) {
    var _ = before.thenRun(() -> over.complete(null));
  }

  private synchronized CompletableFuture<Void> next(CompletableFuture<Void> over) {
    CompletableFuture<Void> before = latest;
    latest = over;
    return before;
  }
}
