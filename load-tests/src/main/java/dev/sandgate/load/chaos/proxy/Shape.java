// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.proxy;

/**
 * How bytes pass for a while, on every connection.
 *
 * @param delayMillis by which what was read is held back
 * @param bytesPerSecond at most, each way; 0 for any number
 * @param pieceBytes into which what was read is cut, each written by itself; 0 for as it comes
 * @param stalled nothing is read, everything stays open
 * @param refusing new connections are reset
 */
public record Shape(
    int delayMillis, int bytesPerSecond, int pieceBytes, boolean stalled, boolean refusing) {

  /** Bytes pass as they come. */
  public static final Shape CLEAR = new Shape(0, 0, 0, false, false);

  /** Held back. */
  public static Shape delayed(int millis) {
    return new Shape(millis, 0, 0, false, false);
  }

  /** Slow. */
  public static Shape throttled(int bytesPerSecond) {
    return new Shape(0, bytesPerSecond, 0, false, false);
  }

  /** In pieces, so that no message arrives as it was sent. */
  public static Shape inPieces(int bytes) {
    return new Shape(0, 0, bytes, false, false);
  }

  /** Not at all. */
  public static Shape standing() {
    return new Shape(0, 0, 0, true, false);
  }

  /** As they come on what is open; nothing new opens. */
  public static Shape closed() {
    return new Shape(0, 0, 0, false, true);
  }
}
