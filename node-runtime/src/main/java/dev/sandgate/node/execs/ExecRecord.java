// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.execs;

import com.google.protobuf.Timestamp;
import dev.sandgate.node.sandboxes.LiveSandbox;
import dev.sandgate.proto.v1.Command;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.OutputStream;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.Exec.SignalTarget;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One command: what was asked, what came of it, who listens. Safe for any thread. */
final class ExecRecord {

  private final LiveSandbox sandbox;
  private final String execId;
  private final Command command;
  private final long sequence;
  private final Output output;
  private final Timestamp startedAt;
  private final CompletableFuture<ExecRecord> started = new CompletableFuture<>();
  private final CompletableFuture<ExecResult> ended = new CompletableFuture<>();
  private final AtomicBoolean ending = new AtomicBoolean();
  private final Map<Object, CompletableFuture<ExecRecord>> waiters = new ConcurrentHashMap<>(0);
  private final CopyOnWriteArrayList<Reader> readers = new CopyOnWriteArrayList<>();
  private volatile @Nullable Exec handle;
  private volatile @Nullable ExecResult result;
  private volatile @Nullable Producer producer;
  private volatile String killReason = "";
  private volatile long pid;
  private final StdinTurns stdinTurns = new StdinTurns();
  private volatile long stdinOffset;
  private volatile long endedMillis;

  /** What a record is made of. */
  record Origin(
      LiveSandbox sandbox, String execId, Command command, long sequence, Timestamp startedAt) {}

  ExecRecord(Origin origin, Output output) {
    this.sandbox = origin.sandbox();
    this.execId = origin.execId();
    this.command = origin.command();
    this.sequence = origin.sequence();
    this.startedAt = origin.startedAt();
    this.output = output;
  }

  LiveSandbox sandbox() {
    return sandbox;
  }

  String execId() {
    return execId;
  }

  Command command() {
    return command;
  }

  /** Orders records by age. */
  long sequence() {
    return sequence;
  }

  Output output() {
    return output;
  }

  Timestamp startedAt() {
    return startedAt;
  }

  /** Completes when the command runs, or fails with why it does not. */
  CompletableFuture<ExecRecord> started() {
    return started;
  }

  /** Completes when the result is known; never fails. */
  CompletableFuture<ExecResult> ended() {
    return ended;
  }

  @Nullable ExecResult result() {
    return result;
  }

  @Nullable Exec handle() {
    return handle;
  }

  /** Inside the sandbox; 0 when it is not known. */
  long pid() {
    return pid;
  }

  long stdinOffset() {
    return stdinOffset;
  }

  StdinTurns stdinTurns() {
    return stdinTurns;
  }

  void stdinTaken(long offset) {
    stdinOffset = Math.max(stdinOffset, offset);
  }

  long endedMillis() {
    return endedMillis;
  }

  String killReason() {
    return killReason;
  }

  /** Says why the platform kills it; the first reason stays. */
  synchronized void killedFor(String reason) {
    if (killReason.isEmpty()) {
      killReason = reason;
    }
  }

  /** Kills the whole tree. */
  void kill(String reason) {
    Exec running = handle;
    if (running != null && result == null) {
      killedFor(reason);
      running
          .signal(9, SignalTarget.TREE)
          .subscribe()
          .with(
              _ -> treeKilled(),
              failure -> Executions.LOG.warn("exec {}: not killed", execId, failure));
    }
  }

  /** Its processes are gone, or going: its end waits for no reader. */
  void treeKilled() {
    output.free();
    advanced();
  }

  /** Takes the command in hand; whether that is the first time. */
  boolean running(Exec exec) {
    pid = exec.pid();
    handle = exec;
    return started.complete(this);
  }

  /** Takes the handle away when the guest is to forget the command. */
  @Nullable Exec released() {
    Exec last = handle;
    handle = null;
    producer = null;
    return last;
  }

  /** Claims to say how it ended; the first does, and must {@link #end} it. */
  boolean claimEnd() {
    return ending.compareAndSet(false, true);
  }

  /** Tells everybody how it ended. */
  void end(ExecResult outcome, long atMillis) {
    endedMillis = atMillis;
    result = outcome;
    started.complete(this);
    ended.complete(outcome);
    waiters.values().forEach(waiter -> waiter.complete(this));
    wake();
  }

  /** Completes at the end or when the time is over, whichever comes first; cancelling it leaves nothing behind. */
  CompletableFuture<ExecRecord> endedWithin(long millis) {
    CompletableFuture<ExecRecord> waiter = new CompletableFuture<>();
    Object key = new Object();
    waiters.put(key, waiter);
    if (result != null) {
      waiter.complete(this);
    }
    var _ = waiter.whenComplete((_, _) -> waiters.remove(key));
    return waiter.completeOnTimeout(this, millis, TimeUnit.MILLISECONDS);
  }

  /** Gives its output up, to make room for others'. */
  void giveUpOutput() {
    output.release();
    ExecResult known = result;
    if (known != null) {
      result = Results.missing(known, output.gaps());
    }
  }

  /** Takes what is on its way and nothing more. */
  void stopTaking() {
    Producer taking = producer;
    if (taking != null) {
      taking.stop();
    }
  }

  /** Who takes the command's events. */
  void produceBy(Producer taking) {
    producer = taking;
  }

  /** A reader moved on or left: a command that waits for it may go on. */
  void advanced() {
    Producer taking = producer;
    if (taking != null) {
      taking.advanced();
    }
  }

  void attach(Reader reader) {
    readers.add(reader);
  }

  void detach(Reader reader) {
    readers.remove(reader);
    advanced();
  }

  /** Tells every reader that there is something new. */
  void wake() {
    for (Reader reader : readers) {
      reader.wake();
    }
  }

  /** How far the slowest reader is; empty without readers. */
  OptionalLong slowest(OutputStream stream) {
    return readers.stream().mapToLong(reader -> reader.position(stream)).min();
  }

  /** As log lines show it. */
  @Override
  public String toString() {
    return "exec " + execId + " of " + sandbox;
  }
}
