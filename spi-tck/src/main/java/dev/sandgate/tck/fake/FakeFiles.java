// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck.fake;

import dev.sandgate.spi.Files;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/** File operations on a {@link FakeTree}; users are not told apart. */
final class FakeFiles implements Files {

  private static final int CHUNK = 65_536;

  private final FakeTree tree;
  private final FakeSandbox sandbox;
  private final Faults faults;

  FakeFiles(FakeTree tree, FakeSandbox sandbox, Faults faults) {
    this.tree = tree;
    this.sandbox = sandbox;
    this.faults = faults;
  }

  private <T> Uni<T> step(Callable<T> work) {
    return Work.of(
        () -> {
          sandbox.checkAlive();
          faults.pass(Faults.Point.FILES);
          return work.call();
        });
  }

  private Uni<Void> step(Runnable work) {
    return step(() -> {
          work.run();
          return true;
        })
        .replaceWithVoid();
  }

  @Override
  public Multi<ByteBuffer> read(String user, String path, long offset, long length) {
    return step(() -> tree.read(path))
        .onItem()
        .transformToMulti(content -> chunks(content, offset, length));
  }

  private static Multi<ByteBuffer> chunks(byte[] content, long offset, long length) {
    int from = (int) Math.min(offset, content.length);
    int size = (int) (length < 0 ? content.length - from : Math.min(length, content.length - from));
    return Multi.createFrom()
        .range(0, (size + CHUNK - 1) / CHUNK)
        .map(i -> ByteBuffer.wrap(content, from + i * CHUNK, Math.min(CHUNK, size - i * CHUNK)));
  }

  @Override
  public Uni<Long> write(WriteTarget target, Multi<ByteBuffer> data) {
    return step(() -> tree.open(target))
        .chain(
            start -> {
              AtomicLong offset = new AtomicLong(start);
              return data.onItem()
                  .invoke(chunk -> append(target.path(), offset, chunk))
                  .collect()
                  .last()
                  .map(last -> offset.get() - start)
                  .onTermination()
                  .invoke(() -> tree.close(target.path()));
            });
  }

  private void append(String path, AtomicLong offset, ByteBuffer chunk) {
    byte[] bytes = new byte[chunk.remaining()];
    chunk.duplicate().get(bytes);
    tree.put(path, offset.getAndAdd(bytes.length), bytes);
  }

  @Override
  public Uni<FileInfo> stat(String user, String path) {
    return step(() -> tree.stat(path));
  }

  @Override
  public Multi<FileInfo> list(String user, String path, int depth) {
    return step(() -> tree.list(path, depth))
        .onItem()
        .transformToMulti(Multi.createFrom()::iterable);
  }

  @Override
  public Uni<Void> makeDirectory(String user, String path, int mode, boolean parents) {
    return step(() -> tree.makeDirectory(path, mode, parents));
  }

  @Override
  public Uni<Void> move(String user, String from, String to) {
    return step(() -> tree.move(from, to));
  }

  @Override
  public Uni<Void> remove(String user, String path, boolean recursive) {
    return step(() -> tree.remove(path, recursive));
  }

  @Override
  public Uni<Void> setAttributes(String user, String path, Attributes attributes) {
    return step(() -> tree.setAttributes(path, attributes));
  }

  @Override
  public Uni<Checksum> checksum(String user, String path) {
    return step(() -> tree.read(path)).map(FakeFiles::checksum);
  }

  private static Checksum checksum(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return new Checksum(content.length, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
