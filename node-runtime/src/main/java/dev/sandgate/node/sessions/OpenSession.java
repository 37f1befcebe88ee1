// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sessions;

import com.google.protobuf.Timestamp;
import dev.sandgate.proto.v1.Session;
import dev.sandgate.proto.v1.SessionState;
import dev.sandgate.spi.Exec;
import dev.sandgate.spi.ExecEvent;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One session: its record, and its shell while the node has it in hand. Safe for any thread. */
final class OpenSession {

  private final CompletableFuture<OpenSession> opened = new CompletableFuture<>();
  private final CompletableFuture<Session> ended = new CompletableFuture<>();
  private volatile Session record;
  private volatile @Nullable Exec shell;

  OpenSession(Session record) {
    this.record = record;
    if (record.getState() == SessionState.SESSION_STATE_ENDED) {
      ended.complete(record);
    }
  }

  Session record() {
    return record;
  }

  String id() {
    return record.getSessionId();
  }

  @Nullable Exec shell() {
    return shell;
  }

  /** Completes when its shell is there, or fails with why it is not. */
  CompletableFuture<OpenSession> opened() {
    return opened;
  }

  /** Completes with its last record when the shell ended; never fails. */
  CompletableFuture<Session> ended() {
    return ended;
  }

  boolean isEnded() {
    return ended.isDone();
  }

  /** Follows the shell to its end. */
  void follow(Exec running) {
    shell = running;
    running
        .events()
        .subscribe()
        .with(
            event -> {
              if (event instanceof ExecEvent.Exited exit) {
                exited(exit);
              }
            },
            _ -> end("LOST", -1, 0));
    opened.complete(this);
  }

  /** Says that nothing is known of it any more. */
  void lost() {
    end("LOST", -1, 0);
  }

  private void exited(ExecEvent.Exited exit) {
    if (exit.signal() == 0) {
      end("EXITED", exit.exitCode(), 0);
    } else {
      end("SIGNALLED", 128 + exit.signal(), exit.signal());
    }
  }

  private synchronized void end(String reason, int code, int signal) {
    if (isEnded()) {
      return;
    }
    record =
        record.toBuilder()
            .setState(SessionState.SESSION_STATE_ENDED)
            .setEndedAt(now())
            .setReason(reason)
            .setExitCode(code)
            .setSignal(signal)
            .build();
    ended.complete(record);
  }

  static Timestamp now() {
    Instant now = Instant.now();
    return Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
  }
}
