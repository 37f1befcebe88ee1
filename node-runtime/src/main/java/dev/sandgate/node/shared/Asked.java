// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the processes that serve layers which are here in part, when what they lack is not in a file: one question each
 * connection, as {@code native/PARTS.md} has it. So many are answered at once and no more; the others wait in the socket.
 */
final class Asked implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Asked.class);
  private static final int AT_ONCE = 32;
  private static final int QUESTION = 88;
  private static final int NAME = 72;
  private static final int LENGTH_MOST = 1 << 22;
  private static final int EIO = 5;
  private static final int PATH_MOST = 107;
  private static final long PAUSE_NANOS = 100_000_000;
  private static final Pattern LAYER = Pattern.compile("sha256-[0-9a-f]{64}");

  /** Where the answers are from. */
  @FunctionalInterface
  interface Images {
    /** Bytes of an image; fails in time. */
    byte[] read(String digest, long from, int length);
  }

  private final Path socket;
  private final Images images;
  private final ServerSocketChannel server;
  private final Semaphore free = new Semaphore(AT_ONCE);
  private final Thread listening;

  private Asked(Path socket, Images images, ServerSocketChannel server) {
    this.socket = socket;
    this.images = images;
    this.server = server;
    this.listening = Thread.ofPlatform().daemon().name("layers-asked").unstarted(this::listen);
  }

  /** Listens at a path, which may be left from an earlier run. */
  static Asked at(Path socket, Images images) {
    dev.sandgate.node.config.Setting.check(
        socket.toString().length() <= PATH_MOST,
        "node.shared-layers",
        "give the node a data directory with a shorter path: " + socket + " is to be a socket");
    try {
      Files.deleteIfExists(socket);
      ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket), AT_ONCE);
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      Asked asked = new Asked(socket, images, server);
      asked.listening.start();
      return asked;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As a map of parts has it. */
  String remote() {
    return "ask:" + socket;
  }

  private void listen() {
    try {
      while (server.isOpen()) {
        free.acquire();
        accept();
      }
    } catch (InterruptedException e) {
      LOG.debug("nobody is answered any more", e);
    }
  }

  /** A node that has no descriptor left for a moment goes on after it. */
  private void accept() {
    try {
      SocketChannel asker = server.accept();
      Thread.ofVirtual().name("layer-asked").start(() -> serve(asker));
    } catch (IOException e) {
      free.release();
      if (server.isOpen()) {
        LOG.error("layers that are here in part cannot be read on for a moment", e);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void serve(SocketChannel asker) {
    try (asker) {
      ByteBuffer question = ByteBuffer.allocate(QUESTION).order(ByteOrder.LITTLE_ENDIAN);
      while (question.hasRemaining()) {
        if (asker.read(question) < 0) {
          return;
        }
      }
      ByteBuffer answer = answer(question.flip());
      while (answer.hasRemaining()) {
        asker.write(answer);
      }
    } catch (IOException e) {
      LOG.debug("an asker is gone", e);
    } finally {
      free.release();
    }
  }

  private ByteBuffer answer(ByteBuffer question) {
    byte[] name = new byte[NAME];
    question.get(name);
    String layer = new String(name, StandardCharsets.US_ASCII).trim();
    long from = question.getLong();
    int length = question.getInt();
    if (!LAYER.matcher(layer).matches() || from < 0 || length <= 0 || length > LENGTH_MOST) {
      return failure();
    }
    try {
      byte[] content = images.read(layer.replace('-', ':'), from, length);
      return ByteBuffer.allocate(4 + length).putInt(0).put(content).flip();
    } catch (RuntimeException e) {
      LOG.warn("{} cannot be read: {}", layer, e.getMessage());
      return failure();
    }
  }

  private static ByteBuffer failure() {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(EIO).flip();
  }

  @Override
  public void close() {
    try {
      server.close();
      listening.interrupt();
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
