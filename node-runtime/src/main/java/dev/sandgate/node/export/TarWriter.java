// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.export;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Writes a tar archive in the PAX format (POSIX.1-2001): names, links and attributes are bytes and stay as they are. Needs a fixed
 * amount of memory.
 */
final class TarWriter {

  private static final int BLOCK = 512;
  private static final int BUFFER = 1 << 16;
  private static final int NAME = 100;
  private static final long MOST_ID = 0_7777777L;
  private static final long MOST_SIZE = 0_77777777777L;
  private static final int DIGITS_ID = 7;
  private static final int DIGITS_SIZE = 11;

  private final OutputStream out;

  TarWriter(OutputStream out) {
    this.out = out;
  }

  /**
   * A header.
   *
   * @param type '0' a file, '1' a hard link, '2' a link, '5' a directory, '6' a pipe
   * @param link where a link leads, else empty
   * @param attributes extended ones, by name
   */
  record Entry(
      ByteString name,
      char type,
      Owner owner,
      long size,
      Time time,
      ByteString link,
      Map<String, byte[]> attributes) {

    /** A file that nobody owns, of no time. */
    static Entry file(String name, long size) {
      return new Entry(
          ByteString.copyFromUtf8(name),
          '0',
          new Owner(0644, 0, 0),
          size,
          Time.NONE,
          ByteString.EMPTY,
          Map.of());
    }
  }

  /** Permissions and ids. */
  record Owner(int mode, int uid, int gid) {}

  /** Since the epoch; nanoseconds count upwards. */
  record Time(long seconds, int nanos) {
    static final Time NONE = new Time(0, 0);

    boolean plain() {
      return nanos == 0 && seconds >= 0 && seconds <= MOST_SIZE;
    }

    String text() {
      return BigDecimal.valueOf(seconds)
          .add(BigDecimal.valueOf(nanos, 9))
          .stripTrailingZeros()
          .toPlainString();
    }
  }

  /** Begins an entry; as many bytes as its size says are written next, by {@link #content}. */
  void header(Entry entry) throws IOException {
    byte[] records = records(entry);
    if (records.length > 0) {
      out.write(block(extended(records.length)));
      out.write(records);
      pad(records.length);
    }
    out.write(block(entry));
  }

  /** Writes an entry's content, which must be as long as was said. */
  void content(InputStream in, long size) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = size;
    for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
      left -= count;
      if (left < 0) {
        break;
      }
      out.write(buffer, 0, count);
    }
    if (left != 0) {
      throw new IOException("a file of " + size + " bytes has " + (size - left));
    }
    pad(size);
  }

  /** Fills up to a whole block after so many bytes. */
  void pad(long size) throws IOException {
    int over = (int) (size % BLOCK);
    if (over > 0) {
      out.write(new byte[BLOCK - over]);
    }
  }

  /** Marks the end. */
  void finish() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.flush();
  }

  private static Entry extended(int size) {
    Entry file = Entry.file("PaxHeaders/entry", size);
    return new Entry(
        file.name(), 'x', file.owner(), size, Time.NONE, file.link(), file.attributes());
  }

  private static byte[] records(Entry entry) throws IOException {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    if (entry.name().size() > NAME) {
      record(records, "path", entry.name().toByteArray());
    }
    if (entry.link().size() > NAME) {
      record(records, "linkpath", entry.link().toByteArray());
    }
    if (entry.size() > MOST_SIZE) {
      record(records, "size", ascii(Long.toString(entry.size())));
    }
    if (Integer.toUnsignedLong(entry.owner().uid()) > MOST_ID) {
      record(records, "uid", ascii(Integer.toUnsignedString(entry.owner().uid())));
    }
    if (Integer.toUnsignedLong(entry.owner().gid()) > MOST_ID) {
      record(records, "gid", ascii(Integer.toUnsignedString(entry.owner().gid())));
    }
    if (!entry.time().plain()) {
      record(records, "mtime", ascii(entry.time().text()));
    }
    for (Map.Entry<String, byte[]> attribute : entry.attributes().entrySet()) {
      record(records, "SCHILY.xattr." + attribute.getKey(), attribute.getValue());
    }
    return records.toByteArray();
  }

  /** {@code LENGTH KEY=VALUE\n}; the length counts its own digits. */
  private static void record(ByteArrayOutputStream records, String key, byte[] value)
      throws IOException {
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    int rest = name.length + value.length + 3;
    int length = rest + Integer.toString(rest).length();
    length = rest + Integer.toString(length).length();
    records.write(ascii(length + " "));
    records.write(name);
    records.write('=');
    records.write(value);
    records.write('\n');
  }

  private static byte[] block(Entry entry) {
    byte[] block = new byte[BLOCK];
    put(block, 0, cut(entry.name()));
    octal(block, 100, DIGITS_ID, entry.owner().mode());
    octal(block, 108, DIGITS_ID, fitting(entry.owner().uid()));
    octal(block, 116, DIGITS_ID, fitting(entry.owner().gid()));
    octal(block, 124, DIGITS_SIZE, entry.size() > MOST_SIZE ? 0 : entry.size());
    long seconds = entry.time().seconds();
    octal(block, 136, DIGITS_SIZE, Math.clamp(seconds, 0, MOST_SIZE));
    Arrays.fill(block, 148, 156, (byte) ' ');
    block[156] = (byte) entry.type();
    put(block, 157, cut(entry.link()));
    put(block, 257, ascii("ustar\00000"));
    octal(block, 329, DIGITS_ID, 0);
    octal(block, 337, DIGITS_ID, 0);
    int sum = 0;
    for (byte value : block) {
      sum += value & 0xff;
    }
    octal(block, 148, 6, sum);
    block[154] = 0;
    return block;
  }

  private static byte[] cut(ByteString name) {
    return name.substring(0, Math.min(NAME, name.size())).toByteArray();
  }

  private static long fitting(int id) {
    long value = Integer.toUnsignedLong(id);
    return value > MOST_ID ? 0 : value;
  }

  private static void octal(byte[] block, int at, int digits, long value) {
    String text = Long.toOctalString(value);
    put(block, at, ascii("0".repeat(digits - text.length()) + text));
  }

  private static void put(byte[] block, int at, byte[] value) {
    System.arraycopy(value, 0, block, at, value.length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
