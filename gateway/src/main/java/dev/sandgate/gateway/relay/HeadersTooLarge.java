// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.relay;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;

/** A header block that does not fit into one frame. */
final class HeadersTooLarge extends Http2Exception {

  private static final long serialVersionUID = 1L;

  HeadersTooLarge(int bytes) {
    super(
        Http2Error.INTERNAL_ERROR,
        "a header block of " + bytes + " bytes does not fit into one frame");
  }
}
