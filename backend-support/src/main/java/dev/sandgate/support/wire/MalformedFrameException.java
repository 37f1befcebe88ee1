// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.wire;

/** Bytes from the other side that are no legal message: the connection is of no more use. */
public final class MalformedFrameException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A broken message.
   *
   * @param message what is wrong with it
   */
  public MalformedFrameException(String message) {
    super(message);
  }
}
