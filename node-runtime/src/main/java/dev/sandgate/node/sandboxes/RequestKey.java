// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.sandgate.node.checks.Fields;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What makes two create calls the same.
 *
 * @param key the caller's, empty for none
 * @param fingerprint of the arguments
 */
record RequestKey(String key, String fingerprint) {

  static RequestKey of(String key, MessageLite arguments) {
    if (key.isEmpty()) {
      return new RequestKey("", "");
    }
    return new RequestKey(Fields.callerId("idempotency_key", key), fingerprint(arguments));
  }

  boolean present() {
    return !key.isEmpty();
  }

  private static String fingerprint(MessageLite arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      arguments.writeTo(out);
      out.flush();
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray()));
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
