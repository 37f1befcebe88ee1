// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

import dev.sandgate.proto.v1.OutputStream;
import java.nio.ByteBuffer;

/** What happened to a command. A stream of them begins with Started and ends with Exited, or fails. */
public sealed interface ExecEvent {

  /**
   * The command runs, or ran.
   *
   * @param execId its id
   * @param pid its first process inside the sandbox
   */
  record Started(String execId, long pid) implements ExecEvent {}

  /**
   * Bytes that it wrote.
   *
   * @param stream where to
   * @param offset position of the first byte in that stream
   * @param data the bytes, read-only
   */
  record Output(OutputStream stream, long offset, ByteBuffer data) implements ExecEvent {

    /**
     * Whether it went to stderr; a terminal shows everything on stdout.
     *
     * @return true for stderr
     */
    public boolean stderr() {
      return stream == OutputStream.OUTPUT_STREAM_STDERR;
    }
  }

  /**
   * Bytes that it wrote and that are not kept.
   *
   * @param stream where to
   * @param from position of the first missing byte
   * @param to position after the last one
   */
  record Truncated(OutputStream stream, long from, long to) implements ExecEvent {}

  /**
   * The command ended and its output is complete.
   *
   * @param result how
   */
  record Exited(ExecResult result) implements ExecEvent {}
}
