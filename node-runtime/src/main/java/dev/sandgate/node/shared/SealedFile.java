// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.shared;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Small files that begin with the SHA-256 of the rest, and the way files get into a shared directory. */
final class SealedFile {

  private static final int DIGEST = 32;
  private static final long MOST = 1L << 28;

  private SealedFile() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String named(MessageDigest digest) {
    return "sha256:" + HexFormat.of().formatHex(digest.digest());
  }

  /** Writes content into a new file, past the file system's caches. */
  static void write(Path file, byte[] content) throws IOException {
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      writeAll(out, ByteBuffer.wrap(sha256().digest(content)));
      writeAll(out, ByteBuffer.wrap(content));
      out.force(true);
    }
  }

  /** The content; an IOException that says so when it is not what was written. */
  static byte[] read(Path file) throws IOException {
    if (Files.size(file) > MOST) {
      throw new Damaged(file + " is too large");
    }
    byte[] all = Files.readAllBytes(file);
    byte[] content = Arrays.copyOfRange(all, Math.min(DIGEST, all.length), all.length);
    boolean whole = all.length >= DIGEST;
    if (!whole || !MessageDigest.isEqual(sha256().digest(content), Arrays.copyOf(all, DIGEST))) {
      throw new Damaged(file + " is damaged");
    }
    return content;
  }

  static void writeAll(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  /** Makes what happened in a directory last. */
  static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** A file that is not what was written. */
  static final class Damaged extends IOException {
    private static final long serialVersionUID = 1;

    Damaged(String message) {
      super(message);
    }
  }
}
