// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import static dev.sandgate.spi.SandgateException.invalid;

import java.util.HexFormat;
import java.util.Locale;

/** Compressed files by their first bytes: gzip is taken, others are refused with their name and the way out. */
enum Compression {
  XZ("fd377a585a00.*", "xz -dc"),
  ZSTD("28b52ffd.*", "zstd -dc"),
  BZIP2("425a683[1-9]314159265359.*", "bzip2 -dc"),
  LZ4("04224d18.*", "lz4 -dc"),
  LZIP("4c5a495001.*", "lzip -dc"),
  ZIP("504b0304.*", "unzip");

  /** How many bytes tell them apart. */
  static final int MAGIC_BYTES = 10;

  private static final String GZIP = "1f8b";

  private final String magic;
  private final String unpack;

  Compression(String magic, String unpack) {
    this.magic = magic;
    this.unpack = unpack;
  }

  /** Whether a file that begins so is gzipped; INVALID_ARGUMENT when it is compressed in another way. */
  static boolean isGzip(byte[] first) {
    String begin = HexFormat.of().formatHex(first);
    for (Compression other : values()) {
      if (begin.matches(other.magic)) {
        throw invalid(
            "tar",
            "%s is not taken; unpack it with %s and give a plain or gzipped tar archive"
                .formatted(other.name().toLowerCase(Locale.ROOT), other.unpack));
      }
    }
    return begin.startsWith(GZIP);
  }
}
