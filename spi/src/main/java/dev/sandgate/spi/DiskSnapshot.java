// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a sandbox had written at one moment, on its way to become a layer.
 *
 * <p>The tree is in the form that a lower layer of an overlay has: owners as they are seen inside, whiteouts as character
 * devices 0/0, opaque directories marked. Nobody but the node can reach it; the node may take entries away, and must close
 * it. Threads: any, one at a time.
 */
public interface DiskSnapshot extends AutoCloseable {

  /**
   * Where the tree is.
   *
   * @return a directory, there until {@link #close}
   */
  Path tree();

  /**
   * How many entries were copied.
   *
   * @return without the root
   */
  long entries();

  /**
   * How many bytes its files have.
   *
   * @return bytes, holes included
   */
  long bytes();

  /**
   * How many entries have no place in a layer and were left out.
   *
   * @return sockets and device nodes
   */
  long skipped();

  /**
   * How long the sandbox stood still.
   *
   * @return a duration
   */
  Duration frozen();

  /** Removes the tree; blocks shortly, idempotent. */
  @Override
  void close();
}
