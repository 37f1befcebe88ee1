// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.support.wire.FieldReader;
import java.nio.ByteBuffer;

/**
 * One message.
 *
 * @param type one of {@link FrameType}
 * @param flags per type
 * @param channel the request it belongs to, 0 for the connection; unsigned
 * @param payload big endian, the frame's own memory
 */
record Frame(int type, int flags, int channel, ByteBuffer payload) {

  static final int HEADER_BYTES = 12;
  static final int MAX_PAYLOAD_BYTES = 69_632;
  static final int MAX_DATA_BYTES = 65_536;

  FieldReader fields() {
    return new FieldReader(payload.duplicate());
  }
}
