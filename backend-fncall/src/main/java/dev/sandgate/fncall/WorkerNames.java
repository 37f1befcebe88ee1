// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import java.security.SecureRandom;

/**
 * Names of workers, none of which is given twice.
 *
 * @param nodeId part of each
 */
record WorkerNames(String nodeId) {

  private static final char[] ALPHABET = "abcdefghijklmnopqrstuvwxyz234567".toCharArray();
  private static final int RANDOM_CHARACTERS = 20;
  private static final SecureRandom RANDOM = new SecureRandom();

  String next() {
    byte[] random = new byte[RANDOM_CHARACTERS];
    RANDOM.nextBytes(random);
    StringBuilder name = new StringBuilder("fn-").append(nodeId).append('-');
    for (byte value : random) {
      name.append(ALPHABET[value & (ALPHABET.length - 1)]);
    }
    return name.toString();
  }
}
