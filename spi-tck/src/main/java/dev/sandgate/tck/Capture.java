// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The bytes of one stream: all of them as a digest and a count, the first MiB also kept. */
final class Capture {

  private static final int KEPT = 1 << 21;

  private final MessageDigest digest = sha256();
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final long start;
  private long count;

  Capture(long start) {
    this.start = start;
  }

  void add(ByteBuffer data) {
    byte[] bytes = new byte[data.remaining()];
    data.duplicate().get(bytes);
    digest.update(bytes);
    count += bytes.length;
    int room = KEPT - kept.size();
    kept.write(bytes, 0, Math.min(room, bytes.length));
  }

  /** The offset of the next byte. */
  long position() {
    return start + count;
  }

  long count() {
    return count;
  }

  byte[] bytes() {
    return kept.toByteArray();
  }

  String text() {
    return kept.toString(StandardCharsets.UTF_8);
  }

  /** The digest of what came so far, as hex. */
  String sha256Hex() {
    try {
      MessageDigest soFar = (MessageDigest) digest.clone();
      return HexFormat.of().formatHex(soFar.digest());
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  static String sha256Hex(byte[] bytes) {
    return HexFormat.of().formatHex(sha256().digest(bytes));
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
