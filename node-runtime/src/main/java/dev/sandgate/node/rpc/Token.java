// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.rpc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** The shared secret that callers must show; compared in constant time. */
final class Token {

  private static final String SCHEME = "Bearer ";

  private final byte[] expected;

  Token(String secret) {
    expected = hash(SCHEME + secret);
  }

  boolean matches(@Nullable String header) {
    return header != null && MessageDigest.isEqual(expected, hash(header));
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
