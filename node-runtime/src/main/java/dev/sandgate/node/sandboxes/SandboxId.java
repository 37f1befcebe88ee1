// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.sandboxes;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.spi.SandgateException;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/** Ids of this node's sandboxes: {@code sb-<node>-<20 random characters>}. */
final class SandboxId {

  private static final char[] ALPHABET = "abcdefghijklmnopqrstuvwxyz234567".toCharArray();
  private static final int RANDOM_CHARACTERS = 20;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String prefix;
  private final Pattern pattern;

  SandboxId(String nodeId) {
    prefix = "sb-" + nodeId + "-";
    pattern = Pattern.compile(prefix + "[a-z2-7]{" + RANDOM_CHARACTERS + "}");
  }

  String next() {
    byte[] random = new byte[RANDOM_CHARACTERS];
    RANDOM.nextBytes(random);
    StringBuilder id = new StringBuilder(prefix.length() + RANDOM_CHARACTERS).append(prefix);
    for (byte value : random) {
      id.append(ALPHABET[value & (ALPHABET.length - 1)]);
    }
    return id.toString();
  }

  /** An id that the gateway chose, or a new one. */
  String assigned(String id) {
    if (id.isEmpty()) {
      return next();
    }
    if (!pattern.matcher(id).matches()) {
      throw SandgateException.invalid(
          "assigned_id",
          Fields.shown(id)
              + " is no id of this node; give "
              + prefix
              + "<20 characters of [a-z2-7]>");
    }
    return id;
  }
}
