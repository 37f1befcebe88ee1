// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Create calls by idempotency key: the first makes the sandbox, the others get the same one. */
final class Keys {

  private static final long WAIT_MILLIS = 3_600_000;

  private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

  private record Entry(String fingerprint, CompletableFuture<String> sandboxId) {}

  /**
   * Creates once per key. A creation that fails frees the key.
   *
   * @param create makes the sandbox; runs to its end whoever gives up waiting
   * @param find the present record of a sandbox made earlier
   */
  Sandbox once(RequestKey key, Supplier<Sandbox> create, Finder find) {
    Entry mine = new Entry(key.fingerprint(), new CompletableFuture<>());
    Entry first = entries.putIfAbsent(key.key(), mine);
    if (first == null) {
      return Blocking.await(Blocking.start(() -> first(key, mine, create)), WAIT_MILLIS);
    }
    if (!first.fingerprint.equals(key.fingerprint())) {
      throw new SandgateException(
          ErrorCode.ALREADY_EXISTS,
          "idempotency_key",
          "idempotency_key: it was used with other arguments; use a new key",
          null);
    }
    return find.shown(Blocking.await(first.sandboxId, WAIT_MILLIS));
  }

  void restore(RequestKey key, String sandboxId) {
    if (key.present()) {
      entries.put(
          key.key(), new Entry(key.fingerprint(), CompletableFuture.completedFuture(sandboxId)));
    }
  }

  void forget(String sandboxId) {
    entries
        .values()
        .removeIf(
            entry ->
                entry.sandboxId.isDone()
                    && !entry.sandboxId.isCompletedExceptionally()
                    && sandboxId.equals(entry.sandboxId.join()));
  }

  /** Finds the present record of a sandbox. */
  @FunctionalInterface
  interface Finder {
    /** NOT_FOUND if it is forgotten. */
    Sandbox shown(String sandboxId);
  }

  private Sandbox first(RequestKey key, Entry mine, Supplier<Sandbox> create) {
    @Nullable Sandbox made = null;
    try {
      made = create.get();
      mine.sandboxId.complete(made.getSandboxId());
      return made;
    } catch (RuntimeException e) {
      entries.remove(key.key(), mine);
      mine.sandboxId.completeExceptionally(e);
      throw e;
    }
  }
}
