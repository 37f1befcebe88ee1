// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.ramp;

import dev.sandgate.client.Execs;
import dev.sandgate.client.SandboxHandle;
import dev.sandgate.load.sandbox.Platform;
import dev.sandgate.proto.v1.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Sessions that live side by side, each as an agent uses a sandbox: makes one, runs commands with a pause of thinking before each, removes it,
 * begins again. Closing ends them and removes what they made.
 */
final class Population implements AutoCloseable {

  private static final int COMMANDS = 20;
  private static final Duration THINKING = Duration.ofSeconds(1);
  private static final Duration CREATE_LIMIT = Duration.ofSeconds(10);
  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(2);
  private static final Command WORK =
      Execs.shell("i=0; while [ $i -lt 200 ]; do i=$((i+1)); done; cat /etc/passwd >/tmp/seen")
          .build();

  private final Platform platform;
  private final Tally tally;
  private final List<Thread> sessions = new ArrayList<>();
  private volatile boolean over;

  Population(Platform platform, Tally tally) {
    this.platform = platform;
    this.tally = tally;
  }

  /** Adds sessions until there are so many. */
  void growTo(int count) {
    while (sessions.size() < count) {
      sessions.add(Thread.ofVirtual().name("session-" + sessions.size()).start(this::live));
    }
  }

  private void live() {
    think(); // so that those that begin together do not go on in step
    while (!over) {
      episode();
    }
  }

  private void episode() {
    long begun = System.nanoTime();
    SandboxHandle sandbox;
    try {
      sandbox = platform.client().sandboxes().create(platform.spec()).await().atMost(CREATE_LIMIT);
      tally.created(begun);
    } catch (RuntimeException e) {
      tally.failed("create", e);
      think();
      return;
    }
    try {
      for (int i = 0; i < COMMANDS && !over; i++) {
        think();
        command(sandbox);
      }
    } finally {
      remove(sandbox);
    }
  }

  private void command(SandboxHandle sandbox) {
    long begun = System.nanoTime();
    try {
      if (!sandbox.execs().run(WORK).await().atMost(COMMAND_LIMIT).ok()) {
        throw new IllegalStateException("another exit code than 0");
      }
      tally.commanded(begun);
    } catch (RuntimeException e) {
      tally.failed("command", e);
    }
  }

  private void remove(SandboxHandle sandbox) {
    try {
      Platform.await(platform.client().sandboxes().delete(sandbox.id()));
    } catch (RuntimeException e) {
      tally.failed("delete", e);
    }
  }

  private void think() {
    if (!over) {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2 * THINKING.toNanos()));
    }
  }

  @Override
  public void close() {
    over = true;
    sessions.forEach(LockSupport::unpark);
    for (Thread session : sessions) {
      try {
        session.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
