// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.FunctionCall;
import dev.sandgate.spi.FunctionCall.Case;
import dev.sandgate.spi.FunctionResult;
import dev.sandgate.spi.FunctionResult.Run;
import dev.sandgate.spi.SandgateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One call under way: blocks its thread, may be cancelled from another. */
final class Running {

  private final WorkerPool<Worker> pool;
  private final FunctionCall call;
  private final WorkerKey key;
  private final Executor threads;
  private final List<Run> runs = new ArrayList<>();
  private @Nullable Lease<Worker> held;
  private boolean cancelled;
  private boolean ended;

  Running(WorkerPool<Worker> pool, FunctionCall call, long usualMemoryBytes, Executor threads) {
    this.pool = pool;
    this.call = call;
    this.key = WorkerKey.of(call, usualMemoryBytes);
    this.threads = threads;
  }

  /** Runs it; the result is given before its worker is looked at and put back. */
  void run(Consumer<FunctionResult> give) {
    if (!key.interpreter()) {
      onWorker(lease -> run(lease, give));
      return;
    }
    for (int i = 0; i < call.cases().size(); i++) {
      Case one = call.cases().get(i);
      boolean last = i == call.cases().size() - 1;
      onWorker(lease -> interpret(lease, one, last ? give : _ -> {}));
    }
  }

  private void onWorker(Consumer<Lease<Worker>> work) {
    Lease<Worker> lease = pool.acquire(key, call.limits().acquire());
    ended = false;
    try {
      hold(lease);
      work.accept(lease);
    } finally {
      pool.release(lease, ended || letGo());
    }
  }

  private void interpret(Lease<Worker> lease, Case one, Consumer<FunctionResult> give) {
    Interpreter interpreter =
        lease.worker().interpreter().orElseThrow(() -> new IllegalStateException("no interpreter"));
    runs.add(interpreter.run(call, one));
    end(lease, Optional.empty(), give);
  }

  private void run(Lease<Worker> lease, Consumer<FunctionResult> give) {
    Programs.Outcome outcome = Programs.run(lease.worker().guest(), call);
    runs.addAll(outcome.runs());
    end(lease, outcome.compile(), give);
  }

  private void end(Lease<Worker> lease, Optional<Run> compile, Consumer<FunctionResult> give) {
    Duration waited = lease.waited();
    String worker = lease.worker().id();
    ended = letGo();
    give.accept(
        new FunctionResult(
            Verdicts.overall(compile, runs), compile, runs, worker, waited, lease.warm()));
  }

  private synchronized void hold(Lease<Worker> lease) {
    if (cancelled) {
      throw new SandgateException(ErrorCode.CANCELLED, "the caller gave up");
    }
    held = lease;
  }

  /** From here on cancelling does nothing; false when it was cancelled before. */
  private synchronized boolean letGo() {
    held = null;
    return !cancelled;
  }

  /** Nobody waits for it: what runs is killed with its worker. */
  synchronized void cancel() {
    cancelled = true;
    Lease<Worker> lease = held;
    if (lease != null) {
      threads.execute(lease.worker()::destroy);
    }
  }
}
