// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.swap;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file in the node's directory.
 *
 * @param device the file
 */
record SwapFile(Path device) implements SwapArea {

  private static final String NAME = "swap";
  private static final int PRIORITY = 10;
  private static final int BLOCK = 1 << 20;

  /** Written as a whole: the kernel swaps to no file with holes. */
  static SwapFile make(Path data, long bytes) throws IOException {
    SwapFile made = new SwapFile(data.resolve(NAME));
    try {
      Files.deleteIfExists(made.device);
      Files.createFile(
          made.device,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try (OutputStream out = Files.newOutputStream(made.device, StandardOpenOption.WRITE)) {
        byte[] block = new byte[BLOCK];
        for (long left = bytes; left > 0; left -= BLOCK) {
          out.write(block, 0, (int) Math.min(BLOCK, left));
        }
      }
      return made;
    } catch (IOException e) {
      made.remove();
      throw e;
    }
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public void remove() throws IOException {
    Files.deleteIfExists(device);
  }
}
