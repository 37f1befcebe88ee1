// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.SandgateException;

/** One request and what belongs to it, on a channel of its own. Everything happens on the link's event loop. */
abstract class Exchange {

  /** Set when the link registers the exchange. */
  int channel;

  /**
   * A frame of this channel arrived.
   *
   * @throws dev.sandgate.support.wire.MalformedFrameException when it makes no sense; the link breaks then
   */
  abstract void onFrame(Frame frame);

  /** The link broke or was closed; nothing arrives any more. */
  abstract void onLost(SandgateException reason);
}
