// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what images lack, a few at a time on threads of their own; what is here stays here, so one that was cut off goes on
 * where it was. A whole image whose digest is right becomes a local layer, without a copy: the sparse file is the image.
 */
final class Pulls implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Pulls.class);
  private static final int AT_ONCE = 2;
  private static final int LOOK_CHUNKS = 32;

  private final Access access;
  private final SharedStorage storage;
  private final LongConsumer room;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          AT_ONCE, Thread.ofPlatform().daemon().name("layer-pull-", 0).factory());
  private final Map<String, CompletableFuture<Path>> running = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Brings them while the room for so many bytes is there; fails with what it says else. */
  Pulls(Access access, SharedStorage storage, LongConsumer room) {
    this.room = room;
    this.access = access;
    this.storage = storage;
  }

  /**
   * One to bring.
   *
   * @param digest of the image
   * @param parts what is here
   * @param local where the whole image shall be
   */
  record Wanted(String digest, LayerParts parts, Path local) {
    Path directory() {
      return local.resolveSibling(".").normalize();
    }
  }

  /** Begins, or joins the one under way. The future has the local image, or why there is none. */
  CompletableFuture<Path> start(Wanted wanted) {
    return running.computeIfAbsent(wanted.digest(), _ -> begin(wanted));
  }

  private CompletableFuture<Path> begin(Wanted wanted) {
    CompletableFuture<Path> outcome = new CompletableFuture<>();
    threads.execute(
        () -> {
          try {
            Path image = run(wanted);
            running.remove(wanted.digest());
            outcome.complete(image);
          } catch (IOException | RuntimeException e) {
            LOG.warn("{} was not brought as a whole: {}", wanted.digest(), e.getMessage());
            running.remove(wanted.digest());
            outcome.completeExceptionally(e);
          }
        });
    return outcome;
  }

  private Path run(Wanted wanted) throws IOException {
    room.accept(wanted.parts().missing());
    try (FileChannel out = FileChannel.open(wanted.parts().image(), StandardOpenOption.WRITE)) {
      for (int chunk = 0; chunk < wanted.parts().chunks(); chunk++) {
        if (closed) {
          throw new IOException("the node ends");
        }
        if (!wanted.parts().has(chunk)) {
          if (chunk % LOOK_CHUNKS == 0) {
            room.accept(0);
          }
          bring(wanted, out, chunk);
        }
      }
      out.force(true);
    }
    verify(wanted);
    try {
      Files.createLink(wanted.local(), wanted.parts().image());
    } catch (FileAlreadyExistsException e) {
      LOG.debug("{} was made here meanwhile", wanted.local());
    }
    SealedFile.sync(wanted.directory());
    LOG.info("{} is here as a whole", wanted.digest());
    return wanted.local();
  }

  private void bring(Wanted wanted, FileChannel out, int chunk) throws IOException {
    LayerParts parts = wanted.parts();
    byte[] content;
    try {
      content =
          access.call(
              "read an image",
              _ -> storage.read(wanted.digest(), parts.start(chunk), parts.length(chunk)));
    } catch (SandgateException e) {
      parts.failed();
      throw e;
    }
    try {
      parts.put(out, chunk, content);
    } catch (SealedFile.Damaged e) {
      throw damaged(wanted, String.valueOf(e.getMessage()));
    }
  }

  private void verify(Wanted wanted) throws IOException {
    MessageDigest all = SealedFile.sha256();
    try (FileChannel in = FileChannel.open(wanted.parts().image(), StandardOpenOption.READ)) {
      ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
      while (in.read(buffer.clear()) >= 0) {
        all.update(buffer.flip());
      }
    }
    String found = SealedFile.named(all);
    if (!found.equals(wanted.digest())) {
      throw damaged(wanted, "as a whole it has the digest " + found);
    }
  }

  private SandgateException damaged(Wanted wanted, String how) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION,
        "environment",
        "environment: the layer %s in %s is not what was shared: %s; remove it there and share it again"
            .formatted(wanted.digest(), storage.place(), how),
        null);
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdownNow();
  }
}
