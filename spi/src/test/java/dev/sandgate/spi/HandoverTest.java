// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
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
  void shouldTakeBackWhatNobodyWaitsFor() {
    AtomicReference<Handover<String>> given = new AtomicReference<>();
    Uni<String> uni = Handover.uni(handover -> given.set(watched(handover)));
    uni.subscribe().with(item -> got.incrementAndGet()).cancel();
    given.get().complete("it");
    assertEquals(0, got.get());
    assertEquals(1, abandoned.get());
  }

  @Test
  void shouldTakeBackWhenTheWaiterLeavesBeforeItIsSaidHow() {
    AtomicReference<Handover<String>> given = new AtomicReference<>();
    Handover.<String>uni(given::set).subscribe().with(item -> got.incrementAndGet()).cancel();
    watched(given.get()).complete("it");
    assertEquals(0, got.get());
    assertEquals(1, abandoned.get());
  }

  @Test
  void shouldTellOfACancellationThatComesLate() {
    AtomicReference<Handover<String>> given = new AtomicReference<>();
    Uni<String> uni = Handover.uni(handover -> given.set(watched(handover)));
    Cancellable waiting =
        uni.invoke(item -> got.incrementAndGet())
            .chain(item -> Uni.createFrom().<String>nothing())
            .subscribe()
            .with(item -> {});
    given.get().complete("it");
    assertEquals(1, got.get());
    assertEquals(0, abandoned.get());
    waiting.cancel();
    assertEquals(1, abandoned.get());
  }

  private Handover<String> watched(Handover<String> handover) {
    handover.onCancelled(abandoned::incrementAndGet);
    return handover;
  }
}
