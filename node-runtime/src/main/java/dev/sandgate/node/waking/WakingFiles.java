// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.waking;

import dev.sandgate.spi.Files;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/** The files of a sandbox that wakes up. */
record WakingFiles(Files files, PauseGate gate) implements Files {

  @Override
  public Multi<ByteBuffer> read(String user, String path, long offset, long length) {
    return gate.passMany(() -> files.read(user, path, offset, length));
  }

  @Override
  public Uni<Long> write(WriteTarget target, Multi<ByteBuffer> data) {
    return gate.pass(() -> files.write(target, data));
  }

  @Override
  public Uni<FileInfo> stat(String user, String path) {
    return gate.pass(() -> files.stat(user, path));
  }

  @Override
  public Multi<FileInfo> list(String user, String path, int depth) {
    return gate.passMany(() -> files.list(user, path, depth));
  }

  @Override
  public Uni<Void> makeDirectory(String user, String path, int mode, boolean parents) {
    return gate.pass(() -> files.makeDirectory(user, path, mode, parents));
  }

  @Override
  public Uni<Void> move(String user, String from, String to) {
    return gate.pass(() -> files.move(user, from, to));
  }

  @Override
  public Uni<Void> remove(String user, String path, boolean recursive) {
    return gate.pass(() -> files.remove(user, path, recursive));
  }

  @Override
  public Uni<Void> setAttributes(String user, String path, Attributes attributes) {
    return gate.pass(() -> files.setAttributes(user, path, attributes));
  }

  @Override
  public Uni<Checksum> checksum(String user, String path) {
    return gate.pass(() -> files.checksum(user, path));
  }

  @Override
  public Multi<ByteBuffer> archive(String user, String path) {
    return gate.passMany(() -> files.archive(user, path));
  }

  @Override
  public Uni<Extracted> extract(ExtractTarget target, Multi<ByteBuffer> tar) {
    return gate.pass(() -> files.extract(target, tar));
  }

  @Override
  public Multi<FileEvent> watch(String user, String path, boolean recursive) {
    return gate.beginMany(() -> files.watch(user, path, recursive));
  }
}
