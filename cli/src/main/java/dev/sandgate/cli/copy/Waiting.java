// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.copy;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waits for a call and takes it back when the thread is interrupted. */
final class Waiting {

  private Waiting() {}

  static void on(Uni<?> call) {
    CompletableFuture<?> answer = call.subscribe().asCompletionStage();
    try {
      answer.get();
    } catch (InterruptedException stopped) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException own) {
        throw own;
      }
      throw new CompletionException(failed.getCause());
    }
  }
}
