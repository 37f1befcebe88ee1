// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.swap;

import java.io.IOException;
import java.nio.file.Path;

/** Something that the kernel can swap to; blocks. */
sealed interface SwapArea permits SwapFile, Zram {

  /** What is given to {@code swapon}. */
  Path device();

  /** Which one is preferred: the higher. */
  int priority();

  /** Gives back what it takes; it is not swapped to any more. */
  void remove() throws IOException;
}
