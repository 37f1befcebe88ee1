// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Nothing that was made for somebody who left is lost. */
final class ClaimTest {

  private final List<String> back = new ArrayList<>();
  private final Claim<String> claim = new Claim<>(back::add);

  @Test
  void shouldGiveWhatComesToWhoeverWaits() {
    Uni.createFrom().item("made").subscribe().withSubscriber(claim);
    assertEquals("made", claim.await(1));
    claim.withdraw();
    assertEquals(List.of(), back);
  }

  @Test
  void shouldCancelAndTellWhoeverWaits() {
    AtomicBoolean cancelled = new AtomicBoolean();
    Uni.createFrom()
        .<String>emitter(emitter -> emitter.onTermination(() -> cancelled.set(true)))
        .subscribe()
        .withSubscriber(claim);
    claim.withdraw();
    assertTrue(cancelled.get());
    assertThrows(CancellationException.class, () -> claim.await(1));
  }

  @Test
  void shouldGiveBackWhatCameAndWasNotTaken() {
    Uni.createFrom().item("made").subscribe().withSubscriber(claim);
    claim.withdraw();
    claim.withdraw();
    assertEquals(List.of("made"), back);
    assertThrows(CancellationException.class, () -> claim.await(1));
  }

  @Test
  void shouldCancelWhatIsSubscribedAfterIt() {
    AtomicBoolean cancelled = new AtomicBoolean();
    claim.withdraw();
    Uni.createFrom()
        .<String>emitter(emitter -> emitter.onTermination(() -> cancelled.set(true)))
        .subscribe()
        .withSubscriber(claim);
    assertTrue(cancelled.get());
  }

  @Test
  void shouldKeepTheClaimWhenAWaitEnds() {
    AtomicReference<UniEmitter<? super String>> maker = new AtomicReference<>();
    Uni.createFrom().<String>emitter(maker::set).subscribe().withSubscriber(claim);
    SandgateException late = assertThrows(SandgateException.class, () -> claim.await(1));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
    maker.get().complete("made");
    assertEquals("made", claim.await(1));
  }

  @Test
  void shouldGiveBackWhatComesWhileItIsCancelled() throws Exception {
    for (int i = 0; i < 2000; i++) {
      List<String> returned = new ArrayList<>();
      Claim<String> raced = new Claim<>(returned::add);
      CountDownLatch start = new CountDownLatch(1);
      AtomicBoolean refused = new AtomicBoolean();
      Thread maker = Thread.ofPlatform().start(() -> make(raced, start, refused));
      start.await();
      raced.withdraw();
      maker.join();
      assertTrue(refused.get() || answered(raced) != returned.contains("made"), "lost or doubled");
    }
  }

  /** A maker that gives away what it made unless it heard before that nobody wants it. */
  private static void make(Claim<String> raced, CountDownLatch start, AtomicBoolean refused) {
    AtomicReference<UniEmitter<? super String>> emitter = new AtomicReference<>();
    Uni.createFrom()
        .<String>emitter(
            given -> {
              emitter.set(given);
              given.onTermination(() -> refused.set(true));
            })
        .subscribe()
        .withSubscriber(raced);
    start.countDown();
    emitter.get().complete("made");
  }

  private static boolean answered(Claim<String> raced) {
    try {
      return "made".equals(raced.await(1));
    } catch (CancellationException e) {
      return false;
    }
  }
}
