// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.soak;

import dev.sandgate.client.ExecResult;
import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.ShellSession;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.proto.v1.CreateSnapshotRequest;
import dev.sandgate.proto.v1.Snapshot;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** What people do with a sandbox, all of it, from its making to its end; and what failed meanwhile. Any thread. */
final class Mix {

  private static final String FILE = "/content";
  private static final String HAS_FILE = "[ -e /content ] && echo yes || echo no";
  private static final int CONTENT = 100_000;
  private static final int SNAPSHOT_OF = 4;
  private static final int REASONS_MOST = 20;

  private final Platform platform;
  private final LongAdder done = new LongAdder();
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();

  Mix(Platform platform) {
    this.platform = platform;
  }

  /** How many sandboxes lived through all of it. */
  long done() {
    return done.sum();
  }

  /** How often something failed, by message. */
  Map<String, Integer> failures() {
    return Map.copyOf(failures);
  }

  /** One sandbox's life. */
  void run() {
    try {
      SandboxHandle sandbox = platform.create();
      try {
        live(sandbox);
      } finally {
        Platform.await(sandbox.delete());
      }
      done.increment();
    } catch (RuntimeException e) {
      String why = String.valueOf(e.getMessage());
      failures.merge(failures.size() < REASONS_MOST ? why : "other", 1, Integer::sum);
    }
  }

  private void live(SandboxHandle sandbox) {
    says(sandbox, "echo one", "one\n");
    files(sandbox);
    session(sandbox);
    pause(sandbox);
    leave(sandbox);
    if (ThreadLocalRandom.current().nextInt(SNAPSHOT_OF) == 0) {
      branch(sandbox);
    }
    Platform.await(sandbox.reset());
    says(sandbox, HAS_FILE, "no\n");
  }

  private static void says(SandboxHandle sandbox, String line, String expected) {
    ExecResult result = Platform.await(sandbox.execs().run(Execs.shell(line).build()));
    if (!result.ok() || !result.stdoutText().equals(expected)) {
      throw new IllegalStateException(line + " ended with " + result);
    }
  }

  private static void files(SandboxHandle sandbox) {
    byte[] content = new byte[CONTENT];
    ThreadLocalRandom.current().nextBytes(content);
    Platform.await(sandbox.files().write(FILE, content));
    if (!Arrays.equals(content, Platform.await(sandbox.files().readAll(FILE, CONTENT)))) {
      throw new IllegalStateException("a file came back changed");
    }
  }

  private static void session(SandboxHandle sandbox) {
    ShellSession session = Platform.await(sandbox.sessions().open());
    Platform.await(session.exec("cd /tmp; x=1"));
    String seen = Platform.await(session.exec("echo $PWD$x")).stdoutText();
    if (!seen.equals("/tmp1\n")) {
      throw new IllegalStateException("a session forgot: " + seen);
    }
    Platform.await(session.end());
  }

  private void pause(SandboxHandle sandbox) {
    Platform.await(platform.client().sandboxes().pause(sandbox.id()));
    says(sandbox, "echo awake", "awake\n");
  }

  /** A caller that goes away in the middle of an output that never ends. */
  private static void leave(SandboxHandle sandbox) {
    Uni<Void> seen =
        sandbox.execs().stream(Execs.shell("yes").build())
            .select()
            .first(3)
            .collect()
            .last()
            .replaceWithVoid();
    Platform.await(seen);
    Cancellable listening =
        sandbox.execs().stream(Execs.shell("sleep 1000").build())
            .subscribe()
            .with(_ -> {}, _ -> {});
    listening.cancel();
  }

  private void branch(SandboxHandle sandbox) {
    Snapshot snapshot =
        Platform.await(
            platform
                .client()
                .snapshots()
                .create(
                    CreateSnapshotRequest.newBuilder()
                        .setSandboxId(sandbox.id())
                        .setName("soak-" + UUID.randomUUID())
                        .setAllowRunning(true)
                        .build()));
    SandboxHandle other =
        Platform.await(
            platform
                .client()
                .sandboxes()
                .create(
                    platform.spec().toBuilder()
                        .setEnvironment(snapshot.getEnvironment().getDigest())
                        .build()));
    try {
      says(other, HAS_FILE, "yes\n");
    } finally {
      Platform.await(other.delete());
    }
    Platform.await(platform.client().snapshots().remove(snapshot.getEnvironment().getDigest()));
  }
}
