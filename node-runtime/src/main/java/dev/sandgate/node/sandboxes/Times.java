// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.Timestamp;
import java.time.Instant;

/** Timestamps of records as milliseconds since the epoch, and back. */
public final class Times {

  private Times() {}

  static Timestamp now() {
    Instant now = Instant.now();
    return Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
  }

  /** Milliseconds since the epoch. */
  public static long millis(Timestamp time) {
    return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
  }

  /** The timestamp of milliseconds since the epoch. */
  public static Timestamp timestamp(long millis) {
    return Timestamp.newBuilder()
        .setSeconds(Math.floorDiv(millis, 1_000L))
        .setNanos((int) Math.floorMod(millis, 1_000L) * 1_000_000)
        .build();
  }
}
