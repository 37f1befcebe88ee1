// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.Timestamp;

/** Timestamps of records as milliseconds since the epoch, and back. */
final class Times {

  private Times() {}

  static long millis(Timestamp time) {
    return time.getSeconds() * 1_000 + time.getNanos() / 1_000_000;
  }

  static Timestamp timestamp(long millis) {
    return Timestamp.newBuilder()
        .setSeconds(Math.floorDiv(millis, 1_000L))
        .setNanos((int) Math.floorMod(millis, 1_000L) * 1_000_000)
        .build();
  }
}
