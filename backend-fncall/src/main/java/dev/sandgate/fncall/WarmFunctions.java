// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Gpu;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.Functions;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Calls on workers of the pool, each on a virtual thread of its own that nobody interrupts. */
final class WarmFunctions implements Functions, AutoCloseable {

  private final Host host;
  private final WorkerPool<Worker> pool;
  private final AtomicBoolean swept = new AtomicBoolean();
  private volatile boolean closed;

  WarmFunctions(Host host) {
    this.host = host;
    WorkerNames names = new WorkerNames(host.settings().nodeId());
    this.pool =
        new WorkerPool<>(
            host.settings().bounds(),
            key -> Worker.make(host, names.next(), key),
            host.threads(),
            System::nanoTime);
  }

  @Override
  public Uni<FunctionResult> call(FunctionCall call) {
    if (call.task().gpu() != Gpu.NONE) {
      return Uni.createFrom().failure(() -> noGpu(call.task().gpu()));
    }
    return Uni.createFrom()
        .emitter(
            emitter -> {
              sweepFromNowOn();
              Running running =
                  new Running(pool, call, host.settings().usual().memoryBytes(), host.threads());
              emitter.onTermination(running::cancel);
              host.threads()
                  .execute(
                      () -> {
                        try {
                          running.run(emitter::complete);
                        } catch (RuntimeException e) {
                          emitter.fail(Host.explain(e));
                        }
                      });
            });
  }

  private static SandgateException noGpu(Gpu wanted) {
    return new SandgateException(
        ErrorCode.BACKEND_UNAVAILABLE,
        "gpu",
        "gpu: no GPU is on this node, so " + wanted + " cannot be had; leave it out",
        null);
  }

  private void sweepFromNowOn() {
    if (swept.compareAndSet(false, true)) {
      sweepLater();
    }
  }

  private void sweepLater() {
    Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, host.threads());
    later.execute(
        () -> {
          if (!closed) {
            pool.sweep();
            sweepLater();
          }
        });
  }

  @Override
  public PoolCounts counts() {
    return pool.counts();
  }

  /** Ends every call and every worker; blocks. */
  @Override
  public void close() {
    closed = true;
    pool.close();
  }
}
