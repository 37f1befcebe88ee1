// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Blocking steps on a virtual thread as a {@link Uni}: cancelling interrupts, and undoes what was made. */
final class Work {

  private Work() {}

  static <T> Uni<T> of(Callable<T> steps) {
    return of(steps, result -> {});
  }

  /**
   * The result of the steps; a result that the subscriber no longer takes is undone.
   *
   * @param steps run at each subscription
   * @param undo given the result when nobody got it
   */
  static <T> Uni<T> of(Callable<T> steps, Consumer<T> undo) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              AtomicBoolean delivering = new AtomicBoolean();
              AtomicBoolean delivered = new AtomicBoolean();
              Thread worker =
                  Thread.ofVirtual()
                      .unstarted(
                          () -> {
                            try {
                              T result = steps.call();
                              delivering.set(true);
                              emitter.complete(result);
                              if (!delivered.get()) {
                                undo.accept(result);
                              }
                            } catch (Exception e) {
                              emitter.fail(e);
                            }
                          });
              emitter.onTermination(
                  () -> {
                    if (Thread.currentThread() == worker) {
                      delivered.set(delivering.get());
                    } else {
                      worker.interrupt();
                    }
                  });
              worker.start();
            });
  }
}
