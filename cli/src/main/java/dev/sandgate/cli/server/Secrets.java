// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.server;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/** Keys kept in files that only their owner can read. */
final class Secrets {

  private static final int RANDOM_BYTES = 32;
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());
  // As many digits as the largest number of 32 bytes needs.
  private static final int LENGTH = 43;

  private Secrets() {}

  /** The secret in a file, made on first use. */
  static String inFile(Path file, String prefix) throws IOException {
    if (!Files.exists(file)) {
      write(file, prefix + random());
    }
    return Files.readString(file).strip();
  }

  private static void write(Path file, String secret) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    try (FileChannel out =
        FileChannel.open(
            fresh,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      out.write(ByteBuffer.wrap((secret + "\n").getBytes(StandardCharsets.UTF_8)));
      out.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  static String random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    StringBuilder digits = new StringBuilder();
    BigInteger rest = new BigInteger(1, bytes);
    for (int i = 0; i < LENGTH; i++) {
      BigInteger[] parts = rest.divideAndRemainder(BASE);
      digits.append(DIGITS.charAt(parts[1].intValue()));
      rest = parts[0];
    }
    return digits.toString();
  }

  /** What a gateway knows of a key: its SHA-256 in hexadecimal. */
  static String hash(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK lacks SHA-256", e);
    }
  }
}
