// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;

/** A TCP connection to a port inside a sandbox. Threads: as {@link Backend}. */
public interface Connection extends AutoCloseable {

  /**
   * What the service sends, until it ends its side. One subscriber, once; back-pressured.
   *
   * @return chunks of at most 64 KiB
   */
  Multi<ByteBuffer> input();

  /**
   * Sends bytes. Completes when the guest has room; one write at a time.
   *
   * @param data at most 64 KiB, read until its limit before this returns
   * @param end whether our side ends after it
   * @return completion
   */
  Uni<Void> write(ByteBuffer data, boolean end);

  /** Closes both sides at once. Idempotent, does not block. */
  @Override
  void close();
}
