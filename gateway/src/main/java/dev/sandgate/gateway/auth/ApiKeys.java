// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.netty.util.AsciiString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys that open the gateway. A header value is hashed and compared with every key in constant time once;
 * values that were right are remembered, wrong ones never are. Thread-safe.
 */
public final class ApiKeys {

  private static final int MAX_HEADER_LENGTH = 512;
  private static final int MAX_REMEMBERED = 10_000;
  private static final AsciiString SCHEME = AsciiString.cached("Bearer ");

  private final Map<String, byte[]> hashes = new TreeMap<>();
  private final Cache<AsciiString, String> known =
      Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).build();

  /** Takes key names with the SHA-256 of their keys in hexadecimal. */
  public ApiKeys(Map<String, String> sha256ByName) {
    sha256ByName.forEach((name, hash) -> hashes.put(name, HexFormat.of().parseHex(hash)));
  }

  /** The name of the key in an {@code authorization} header, or null if it opens nothing. */
  public @Nullable String authenticate(@Nullable CharSequence header) {
    if (header == null || header.length() > MAX_HEADER_LENGTH) {
      return null;
    }
    AsciiString value = AsciiString.of(header);
    String name = known.getIfPresent(value);
    return name != null ? name : verify(value);
  }

  private @Nullable String verify(AsciiString value) {
    if (!value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    byte[] hash = sha256(value.subSequence(SCHEME.length()).toByteArray());
    String found = null;
    for (Map.Entry<String, byte[]> key : hashes.entrySet()) {
      if (MessageDigest.isEqual(key.getValue(), hash)) {
        found = key.getKey();
      }
    }
    if (found != null) {
      known.put(new AsciiString(value.toByteArray(), false), found);
    }
    return found;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }
}
