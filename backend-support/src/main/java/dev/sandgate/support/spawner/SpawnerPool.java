// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import dev.sandgate.support.wire.FieldReader;
import dev.sandgate.support.wire.FieldWriter;
import dev.sandgate.support.wire.MalformedFrameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A few connections to the spawner, and its start when nobody answers. */
final class SpawnerPool implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SpawnerPool.class);

  private static final int CONNECTIONS = 8;
  private static final long START_SECONDS = 20;

  private final SpawnerSettings settings;
  private final Semaphore permits = new Semaphore(CONNECTIONS, true);
  private final ConcurrentLinkedDeque<SpawnerWire> idle = new ConcurrentLinkedDeque<>();
  private final ReentrantLock starting = new ReentrantLock();
  private volatile boolean closed;

  SpawnerPool(SpawnerSettings settings) {
    this.settings = settings;
  }

  FieldReader ask(int type, Consumer<FieldWriter> fields) {
    permits.acquireUninterruptibly();
    try {
      SpawnerWire kept = idle.poll();
      return kept == null ? askOn(connect(), type, fields) : askAgain(kept, type, fields);
    } catch (IOException | MalformedFrameException e) {
      throw SpawnerException.unreachable("no answer from the spawner: " + e.getMessage(), e);
    } finally {
      permits.release();
    }
  }

  private FieldReader askOn(SpawnerWire wire, int type, Consumer<FieldWriter> fields)
      throws IOException {
    boolean usable = false;
    try {
      FieldReader answer = wire.ask(type, fields);
      usable = true;
      return answer;
    } catch (SpawnerException e) {
      usable = true;
      throw e;
    } finally {
      if (usable) {
        idle.push(wire);
      } else {
        wire.close();
      }
      // Looked at after the push: a close in between would leave this connection to nobody.
      if (closed) {
        closeIdle();
      }
    }
  }

  /**
   * Over a connection that was kept, and over a new one when it turns out to be dead, as all are after the spawner has died.
   * No request does harm twice: what is there already is refused, what is gone is no error.
   */
  private FieldReader askAgain(SpawnerWire kept, int type, Consumer<FieldWriter> fields)
      throws IOException {
    try {
      return askOn(kept, type, fields);
    } catch (IOException e) {
      LOG.info("a connection to the spawner broke: {}", e.getMessage());
      closeIdle();
      return askOn(connect(), type, fields);
    }
  }

  private SpawnerWire connect() throws IOException {
    SpawnerWire wire = connectToRunning();
    if (wire != null) {
      return wire;
    }
    starting.lock();
    try {
      SpawnerWire raced = connectToRunning();
      if (raced != null) {
        return raced;
      }
      start();
      return SpawnerWire.connect(settings.socket());
    } finally {
      starting.unlock();
    }
  }

  /** Whether a spawner answers; none is started. */
  boolean isRunning() {
    SpawnerWire wire = connectToRunning();
    if (wire != null) {
      close(wire);
    }
    return wire != null;
  }

  private @Nullable SpawnerWire connectToRunning() {
    try {
      return SpawnerWire.connect(settings.socket());
    } catch (IOException e) {
      LOG.debug("no spawner at {}: {}", settings.socket(), e.getMessage());
      return null;
    }
  }

  private void start() throws IOException {
    Files.createDirectories(settings.run());
    Files.createDirectories(settings.state());
    Path log = settings.run().resolve("spawner.log");
    Process process =
        new ProcessBuilder(settings.command())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .redirectErrorStream(true)
            .start();
    int code = await(process);
    if (code != 0) {
      throw SpawnerException.unreachable(
          settings.binary()
              + " ended with "
              + code
              + ": "
              + Files.readString(log, StandardCharsets.UTF_8).strip(),
          null);
    }
    LOG.info("started {} for {}", settings.binary(), settings.run());
  }

  private int await(Process process) {
    try {
      if (process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      process.destroyForcibly();
      throw SpawnerException.unreachable(
          settings.binary() + " was not ready after " + START_SECONDS + " s", null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw SpawnerException.unreachable("interrupted while " + settings.binary() + " started", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    closeIdle();
  }

  private void closeIdle() {
    for (SpawnerWire wire = idle.poll(); wire != null; wire = idle.poll()) {
      close(wire);
    }
  }

  private static void close(SpawnerWire wire) {
    try {
      wire.close();
    } catch (IOException e) {
      LOG.warn("a connection to the spawner could not be closed", e);
    }
  }
}
