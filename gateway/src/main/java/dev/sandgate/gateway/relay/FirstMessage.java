// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import dev.sandgate.gateway.failure.Code;
import dev.sandgate.gateway.failure.Failure;

/** The first message of a stream that was routed before all of it had come: it may be slow, but must not stop. */
final class FirstMessage {

  private final Leg client;
  private long missing;
  private long missingBefore;
  private long sinceNanos;

  FirstMessage(Leg client, long missing, long nowNanos) {
    this.client = client;
    this.missing = missing;
    missingBefore = missing;
    sinceNanos = nowNanos;
  }

  /** More of the stream came. */
  void arrived(int bytes) {
    missing -= bytes;
    if (missing <= 0) {
      client.first = null;
    }
  }

  /**
   * Whether there is nothing more to watch; ends the stream when its client, who was free to send, has sent nothing for
   * too long.
   */
  boolean settled(long nowNanos, long limitNanos) {
    if (missing <= 0 || client.closed || client.remoteEnded) {
      return true;
    }
    if (missing < missingBefore || client.credit <= 0) {
      missingBefore = missing;
      sinceNanos = nowNanos;
    }
    if (nowNanos - sinceNanos < limitNanos) {
      return false;
    }
    ((ClientConnection) client.connection)
        .fail(
            client,
            Failure.of(Code.DEADLINE_EXCEEDED, "the rest of the first message did not come"));
    return true;
  }
}
