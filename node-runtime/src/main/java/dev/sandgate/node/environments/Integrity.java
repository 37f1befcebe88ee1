// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.rpc.Blocking;
import dev.sandgate.node.store.Database;
import dev.sandgate.spi.Backend;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether layers are what their digests say, and those of snapshots what was sealed. All of an image is read, so it is looked at
 * once as it is: again only when the file is another one or was written to, or the node was started anew. Blocks; any thread.
 */
public final class Integrity {

  /** Statements that make the table. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS manifests (
            layer TEXT PRIMARY KEY,
            digest TEXT NOT NULL,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL
          ) WITHOUT ROWID\
          """);

  private static final long LIST_MILLIS = 1_800_000;

  private final Database database;
  private final LayerStore store;
  private final Map<String, Manifest> sealed = new ConcurrentHashMap<>();
  private final Map<String, Checked> checked = new ConcurrentHashMap<>();

  /** What is known of one layer; the lock is held while it is read. */
  private static final class Checked {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Map<String, Object> identity;

    private Checked(Map<String, Object> identity) {
      this.identity = identity;
    }
  }

  private record Row(String layer, Manifest manifest) {}

  Integrity(Database database, LayerStore store) {
    this.database = database;
    this.store = store;
    database
        .query(
            "SELECT * FROM manifests",
            row ->
                new Row(
                    row.getString("layer"),
                    new Manifest(
                        row.getString("digest"), row.getLong("entries"), row.getLong("bytes"))))
        .forEach(row -> sealed.put(row.layer(), row.manifest()));
  }

  /** FAILED_PRECONDITION when a layer of a stack is not what was made or sealed. */
  public void verify(Stack stack, Backend backend) {
    for (Layer layer : stack.layers()) {
      // One that is here in part is checked chunk by chunk as it comes.
      if (layer.map().isEmpty()) {
        verify(layer, manifest(layer.digest()), backend);
      }
    }
  }

  /** What was sealed as a layer. */
  Optional<Manifest> manifest(String digest) {
    return Optional.ofNullable(sealed.get(digest));
  }

  /** Makes the list of a layer that was just made and keeps its digest. */
  Manifest seal(Layer layer, Backend backend) throws IOException {
    Path list = store.list(layer.digest());
    Manifest manifest = Blocking.await(backend.manifest(layer, list), LIST_MILLIS);
    expect(layer.digest(), manifest);
    entry(layer).identity = identity(layer.image());
    return manifest;
  }

  /** What a layer must be; blocks until it is kept. */
  void expect(String digest, Manifest manifest) {
    database
        .change(
            "INSERT OR REPLACE INTO manifests VALUES (?, ?, ?, ?)",
            digest,
            manifest.digest(),
            manifest.entries(),
            manifest.bytes())
        .join();
    sealed.put(digest, manifest);
  }

  void forget(String digest) {
    checked.remove(digest);
    if (sealed.remove(digest) != null) {
      database.change("DELETE FROM manifests WHERE layer = ?", digest).join();
    }
  }

  private Checked entry(Layer layer) {
    return checked.computeIfAbsent(layer.digest(), digest -> new Checked(store.adopted(digest)));
  }

  private void verify(Layer layer, Optional<Manifest> expected, Backend backend) {
    Checked entry = entry(layer);
    if (entry.identity.equals(identity(layer.image()))) {
      return;
    }
    entry.lock.lock();
    try {
      if (!entry.identity.equals(identity(layer.image()))) {
        read(layer, expected, backend);
        entry.identity = identity(layer.image());
      }
    } catch (IOException e) {
      throw damaged(layer, "it cannot be read: " + e.getMessage(), e);
    } finally {
      entry.lock.unlock();
    }
  }

  private void read(Layer layer, Optional<Manifest> expected, Backend backend) throws IOException {
    String digest = LayerStore.digest(layer.image());
    if (!digest.equals(layer.digest())) {
      throw damaged(layer, "its image has the digest " + digest, null);
    }
    if (expected.isPresent()) {
      compare(layer, expected.get(), backend);
    }
  }

  private void compare(Layer layer, Manifest expected, Backend backend) throws IOException {
    Path list = store.list(layer.digest() + "-" + UUID.randomUUID());
    try {
      Manifest found = Blocking.await(backend.manifest(layer, list), LIST_MILLIS);
      if (!found.equals(expected)) {
        throw damaged(layer, "its manifest is " + found + " and was " + expected, null);
      }
    } finally {
      Files.deleteIfExists(list);
    }
  }

  private static Map<String, Object> identity(Path image) {
    return LayerStore.identity(image);
  }

  private static SandgateException damaged(
      Layer layer, String how, @org.jspecify.annotations.Nullable Throwable cause) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION,
        "environment",
        "environment: the layer %s is not what was made: %s; remove what stands on it and make it again"
            .formatted(layer.digest(), how),
        cause);
  }
}
