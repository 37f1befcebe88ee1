// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import dev.sandgate.client.SandboxHandle;
import dev.sandgate.client.Sandgate;
import dev.sandgate.client.SandgateClientException;
import dev.sandgate.proto.v1.CreateSandboxRequest;
import dev.sandgate.proto.v1.SandboxSpec;
import io.smallrye.mutiny.TimeoutException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The sandboxes of a run. Thread-safe. */
final class Boxes {

  private static final Duration UNUSED = Duration.ofDays(1);
  private static final Duration ONE_TRY = Duration.ofSeconds(40);

  private final Sandgate client;
  private final Tally tally;
  private final List<Held> all = new CopyOnWriteArrayList<>();

  Boxes(Sandgate client, Tally tally) {
    this.client = client;
    this.tally = tally;
  }

  /** A sandbox and whether it was destroyed on purpose. */
  static final class Held {
    private final String id;
    private volatile boolean struck;

    Held(String id) {
      this.id = id;
    }

    String id() {
      return id;
    }

    boolean struck() {
      return struck;
    }

    /** It is about to be destroyed. */
    void strike() {
      struck = true;
    }
  }

  /** Makes one more, and asks under the same key until it is known; blocks. */
  void make() throws IOException {
    CreateSandboxRequest request =
        CreateSandboxRequest.newBuilder()
            .setSpec(
                SandboxSpec.newBuilder()
                    .setEnvironment(Site.ENVIRONMENT)
                    .setIdleTimeoutMillis(UNUSED.toMillis()))
            .setIdempotencyKey("box-" + System.nanoTime())
            .build();
    long deadline = System.nanoTime() + Site.PATIENCE.toNanos();
    SandgateClientException last = null;
    while (System.nanoTime() < deadline) {
      try {
        SandboxHandle made = client.sandboxes().create(request).await().atMost(ONE_TRY);
        all.add(new Held(made.id()));
        return;
      } catch (SandgateClientException e) {
        last = e;
      } catch (TimeoutException e) {
        tally.add("creates_given_up");
      }
      tally.add("creates_asked_again");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    }
    throw new IOException("no sandbox could be made: " + last, last);
  }

  /** Any that was not destroyed. */
  Held any(Random random) {
    List<Held> living = all.stream().filter(box -> !box.struck()).toList();
    return living.get(random.nextInt(living.size()));
  }

  /** How many were not destroyed. */
  long living() {
    return all.stream().filter(box -> !box.struck()).count();
  }

  List<Held> all() {
    return List.copyOf(all);
  }

  /** One of them. */
  Held of(String id) {
    return all.stream().filter(box -> box.id().equals(id)).findFirst().orElseThrow();
  }
}
