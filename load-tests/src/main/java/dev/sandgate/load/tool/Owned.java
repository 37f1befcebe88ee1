// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.tool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was acquired, released in reverse order, at the latest when the JVM is told to end; every failure is kept.
 * Thread-safe; what is added after closing is released at once.
 */
public final class Owned implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Owned.class);

  private final Deque<AutoCloseable> things = new ArrayDeque<>();
  private final Thread atEnd = new Thread(this::closeAtEnd, "release");
  private boolean closed;

  /** Owns nothing yet. */
  public Owned() {
    Runtime.getRuntime().addShutdownHook(atEnd);
  }

  /** Takes over the release of something. */
  public synchronized <T extends AutoCloseable> T add(T thing) throws IOException {
    things.push(thing);
    if (closed) {
      closeAll();
    }
    return thing;
  }

  @Override
  public void close() throws IOException {
    try {
      Runtime.getRuntime().removeShutdownHook(atEnd);
    } catch (IllegalStateException e) {
      LOG.debug("the JVM is ending already", e);
    }
    closeAll();
  }

  private void closeAtEnd() {
    try {
      closeAll();
    } catch (IOException e) {
      LOG.warn("not everything of the measurement could be removed", e);
    }
  }

  private synchronized void closeAll() throws IOException {
    closed = true;
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
