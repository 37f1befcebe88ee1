// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.Handover;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;
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
   * @param takeBack given the result, on such a thread, when the subscriber cancelled: nobody may have got it
   */
  static <T, S extends T> Uni<T> of(Callable<S> steps, Consumer<S> takeBack) {
    return of(VIRTUAL, steps, takeBack);
  }

  private static <T, S extends T> Uni<T> of(
      ThreadFactory threads, Callable<S> steps, Consumer<S> takeBack) {
    return Handover.uni(
        handover ->
            threads
                .newThread(
                    () -> {
                      try {
                        S result = steps.call();
                        handover.onCancelled(() -> Thread.startVirtualThread(() -> takeBack.accept(result)));
                        handover.complete(result);
                      } catch (Exception e) {
                        handover.fail(e);
                      }
                    })
                .start());
  }
}
