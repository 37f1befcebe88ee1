// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.proto.v1.SharedLayer;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A layer of the shared directory that this node knows, and what it has of it. */
final class Held {

  private final SharedLayer facts;
  private final ReentrantLock making = new ReentrantLock();
  private final AtomicReference<@Nullable CompletableFuture<LayerParts>> coming =
      new AtomicReference<>();
  private volatile @Nullable LayerParts parts;
  private volatile String damage = "";
  private volatile String damagedFile = "";
  private volatile long damagedReads;
  private volatile long usedNanos;

  Held(SharedLayer facts, long nowNanos) {
    this.facts = facts;
    this.usedNanos = nowNanos;
  }

  String digest() {
    return facts.getLayer().getDigest();
  }

  SharedLayer facts() {
    return facts;
  }

  /** Held while its files are made or removed. */
  ReentrantLock making() {
    return making;
  }

  /** Makes its files, once for all who want them at the same time: they have them, or why there are none, together. */
  LayerParts begun(Supplier<LayerParts> make) {
    CompletableFuture<LayerParts> own = new CompletableFuture<>();
    CompletableFuture<LayerParts> first = coming.compareAndExchange(null, own);
    if (first != null) {
      return joined(first, make);
    }
    making.lock();
    try {
      own.complete(parts().orElseGet(make));
    } catch (RuntimeException | Error e) {
      own.completeExceptionally(e);
    } finally {
      making.unlock();
      coming.set(null);
    }
    return joined(own);
  }

  /** That another caller gave up is no reason for this one. */
  private LayerParts joined(CompletableFuture<LayerParts> others, Supplier<LayerParts> make) {
    try {
      return joined(others);
    } catch (SandgateException e) {
      if (e.code() != ErrorCode.CANCELLED || Thread.currentThread().isInterrupted()) {
        throw e;
      }
      return begun(make);
    }
  }

  private static LayerParts joined(CompletableFuture<LayerParts> coming) {
    try {
      return coming.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  Optional<LayerParts> parts() {
    return Optional.ofNullable(parts);
  }

  void keep(@Nullable LayerParts made) {
    parts = made;
  }

  /** Why it is not to be used; empty when nothing is known against it. */
  String damage() {
    return damage;
  }

  /** It is not to be used as long as the shared image is the file that it is. */
  void damaged(String how, String file) {
    damagedFile = file;
    damage = how;
  }

  /** Lets go of what was held against another file than the shared image is now. */
  void look(String file) {
    if (!damage.isEmpty() && !damagedFile.equals(file)) {
      damage = "";
    }
  }

  /** How many more damaged chunks sandboxes met than were known. */
  synchronized long newDamage() {
    long seen = parts().map(met -> met.onDemand().getDamaged()).orElse(0L);
    long more = seen - damagedReads;
    damagedReads = seen;
    return more;
  }

  void use(long nowNanos) {
    usedNanos = nowNanos;
  }

  long usedNanos() {
    return usedNanos;
  }
}
