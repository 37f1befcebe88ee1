// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What was acquired, released in reverse order; every failure is kept. Not thread-safe. */
public final class Owned implements AutoCloseable {

  private final Deque<AutoCloseable> things = new ArrayDeque<>();

  /** Takes over the release of something. */
  public <T extends AutoCloseable> T add(T thing) {
    things.push(thing);
    return thing;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    while (!things.isEmpty()) {
      failure = close(things.pop(), failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable IOException close(AutoCloseable thing, @Nullable IOException earlier) {
    try {
      thing.close();
      return earlier;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (earlier != null) {
        earlier.addSuppressed(e);
        return earlier;
      }
      return e instanceof IOException known ? known : new IOException(e);
    }
  }
}
