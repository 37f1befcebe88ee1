// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongConsumer;

/** An image's files in a directory. */
record LayoutDirectory(Path directory, LongConsumer room) implements Destination {

  @Override
  public void put(String name, long size, Content content) throws IOException {
    room.accept(size);
    Path file = directory.resolve(name);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      content.to(out);
    }
  }

  @Override
  public void end() {
    // Every file is whole already.
  }
}
