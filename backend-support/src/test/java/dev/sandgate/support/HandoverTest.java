// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Giving to a waiter who may leave. */
final class HandoverTest {

  private final AtomicInteger abandoned = new AtomicInteger();
  private final AtomicInteger got = new AtomicInteger();

  @Test
  void shouldGiveToWhoWaits() {
    Uni<String> uni = Handover.uni(handover -> watched(handover).complete("it"));
    assertEquals("it", uni.await().indefinitely());
    assertEquals(0, abandoned.get());
  }

  @Test
  void shouldFailWhoWaits() {
    Uni<String> uni =
        Handover.uni(handover -> watched(handover).fail(new IllegalStateException("no")));
    assertThrows(IllegalStateException.class, () -> uni.await().indefinitely());
    assertEquals(0, abandoned.get());
  }

  @Test
  void shouldBeEitherGotOrAbandonedHoweverTheyRace() throws InterruptedException {
    int rounds = 5_000;
    for (int i = 0; i < rounds; i++) {
      race();
    }
    assertEquals(rounds, got.get() + abandoned.get());
  }

  private void race() throws InterruptedException {
    AtomicReference<Handover<String>> handover = new AtomicReference<>();
    Uni<String> uni = Handover.uni(fresh -> handover.set(watched(fresh)));
    var subscription = uni.subscribe().with(item -> got.incrementAndGet());
    CountDownLatch done = new CountDownLatch(2);
    Thread.ofVirtual()
        .start(
            () -> {
              handover.get().complete("it");
              done.countDown();
            });
    Thread.ofVirtual()
        .start(
            () -> {
              subscription.cancel();
              done.countDown();
            });
    done.await(10, TimeUnit.SECONDS);
  }

  private Handover<String> watched(Handover<String> handover) {
    handover.onAbandoned(abandoned::incrementAndGet);
    return handover;
  }
}
