// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Blocking steps as a {@link Uni}: the subscriber's thread, maybe an event loop, goes on at once. */
final class Work {

  private static final ThreadFactory VIRTUAL = Thread.ofVirtual().factory();
  private static final ThreadFactory PLATFORM =
      Thread.ofPlatform().daemon().name("process-stdin").factory();

  private Work() {}

  /** Steps without a result. */
  interface Steps {
    void run() throws Exception;
  }

  static Uni<Void> run(Steps steps) {
    Uni<Boolean> done =
        of(
            () -> {
              steps.run();
              return true;
            },
            nobody -> {});
    return done.replaceWithVoid();
  }

  /** For steps that block in the kernel, where a virtual thread would hold its carrier. */
  static <T> Uni<T> onPlatformThread(Callable<T> steps) {
    return of(PLATFORM, steps, nobody -> {});
  }

  /**
   * The result of the steps, on a virtual thread.
   *
   * @param undo given the result when the subscriber cancelled and nobody got it
   */
  static <T> Uni<T> of(Callable<? extends T> steps, Consumer<T> undo) {
    return of(VIRTUAL, steps, undo);
  }

  private static <T> Uni<T> of(
      ThreadFactory threads, Callable<? extends T> steps, Consumer<T> undo) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              AtomicBoolean delivered = new AtomicBoolean();
              Thread worker =
                  threads.newThread(
                      () -> {
                        try {
                          T result = steps.call();
                          emitter.complete(result);
                          if (!delivered.get()) {
                            undo.accept(result);
                          }
                        } catch (Exception e) {
                          emitter.fail(e);
                        }
                      });
              // Runs once: on the worker when it delivers, or on the thread that cancels.
              emitter.onTermination(() -> delivered.set(Thread.currentThread() == worker));
              worker.start();
            });
  }
}
