// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

/** Knows for how long bytes came that ended no frame: one that is sent drop by drop, or headers without an end. */
final class FrameProgress {

  private boolean framed;
  private boolean stalling;
  private long sinceNanos;

  /** A whole frame, or block of headers, arrived. */
  void framed() {
    framed = true;
  }

  /** Whether it has lasted too long by now; {@code heard} tells whether bytes came since the last question. */
  boolean stalled(long nowNanos, boolean heard, long limitNanos) {
    if (framed) {
      framed = false;
      stalling = false;
    } else if (heard && !stalling) {
      stalling = true;
      sinceNanos = nowNanos;
    }
    return stalling && nowNanos - sinceNanos > limitNanos;
  }
}
