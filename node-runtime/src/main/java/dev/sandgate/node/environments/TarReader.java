// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tar archive, gzipped or not, to its very end. Whatever is no such archive, is cut off or damaged as far as
 * checksums tell is INVALID_ARGUMENT with the entry it was noticed at; no failure to read is an IOException.
 */
final class TarReader implements Closeable {

  private static final int BUFFER = 1 << 16;
  private static final long MAX_AFTER_END = 64L << 20;

  private final Records tar;
  private long entries;
  private String last = "";

  TarReader(InputStream archive) {
    try {
      tar = new Records(plain(archive));
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** Sees whether the end was marked, without which the archive was cut off, and the names' own bytes. */
  private static final class Records extends TarArchiveInputStream {
    private final InputStream plain;
    private final PaxAttributes attributes = new PaxAttributes();
    private final RawNames names = new RawNames();
    private boolean marked;

    Records(InputStream plain) {
      super(plain);
      this.plain = plain;
    }

    @Override
    @SuppressWarnings("NullAway") // the library ends with null
    protected byte[] readRecord() throws IOException {
      byte[] read = super.readRecord();
      marked |= read != null && isEOFRecord(read);
      if (read != null) {
        names.header(read);
      }
      return read;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
      int read = super.read(target, offset, count);
      if (read > 0 && getCurrentEntry().isPaxHeader()) {
        attributes.append(target, offset, read);
      } else if (read > 0 && isLongName(getCurrentEntry())) {
        names.longName(target, offset, read);
      }
      return read;
    }
  }

  private static boolean isLongName(TarArchiveEntry entry) {
    return entry.isGNULongNameEntry() || entry.isGNULongLinkEntry();
  }

  /** The library puts question marks in the place of what is no UTF-8. */
  private void requireUtf8(TarArchiveEntry entry) {
    boolean doubtful = entry.getName().indexOf('?') >= 0 || entry.getLinkName().indexOf('?') >= 0;
    if (doubtful && !tar.names.areUtf8()) {
      throw TarTree.bad(entry.getName(), "its name or its link is not UTF-8; rename it");
    }
  }

  private static InputStream plain(InputStream archive) throws IOException {
    BufferedInputStream in = new BufferedInputStream(archive, BUFFER);
    in.mark(Compression.MAGIC_BYTES);
    byte[] first = in.readNBytes(Compression.MAGIC_BYTES);
    in.reset();
    if (first.length == 0) {
      throw invalid("tar", "it is empty; give a tar archive, gzipped or not");
    }
    return Compression.isGzip(first) ? gunzip(in) : in;
  }

  private static InputStream gunzip(InputStream in) throws IOException {
    return GzipCompressorInputStream.builder()
        .setInputStream(in)
        .setDecompressConcatenated(true)
        .get();
  }

  /** The next entry, or null after the last one, when all of the archive has been read. */
  @Nullable TarArchiveEntry next() {
    try {
      tar.attributes.clear();
      tar.names.clear();
      TarArchiveEntry entry = tar.getNextEntry();
      if (entry == null) {
        finish();
        return null;
      }
      if (!entry.isCheckSumOK()) {
        throw new IOException("the checksum of a header is wrong");
      }
      requireUtf8(entry);
      entries++;
      last = entry.getName();
      return entry;
    } catch (IOException e) {
      throw broken(e);
    } catch (IllegalArgumentException e) {
      throw broken(new IOException(e.getMessage(), e));
    }
  }

  /** The current entry's extended attributes. */
  PaxAttributes attributes() {
    return tar.attributes;
  }

  /** Whether the content of the current entry can be had. */
  boolean readable(TarArchiveEntry entry) {
    return tar.canReadEntryData(entry);
  }

  /** Writes the current entry's content; an IOException is the target's. */
  void copyTo(OutputStream target) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (int count = read(buffer); count >= 0; count = read(buffer)) {
      target.write(buffer, 0, count);
    }
  }

  private int read(byte[] buffer) {
    try {
      return tar.read(buffer);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** The checksum of a gzipped archive is behind all of its data. */
  private void finish() throws IOException {
    if (!tar.marked) {
      throw new EOFException();
    }
    byte[] buffer = new byte[BUFFER];
    long after = 0;
    for (int count = tar.plain.read(buffer); count >= 0; count = tar.plain.read(buffer)) {
      after += count;
      if (after > MAX_AFTER_END) {
        throw new IOException("more than 64 MiB are behind its end");
      }
    }
  }

  private SandgateException broken(IOException failure) {
    String text = String.valueOf(failure.getMessage());
    boolean cut = failure instanceof EOFException || text.startsWith("Truncated");
    String why = cut ? "cut off" : "damaged (" + text + ")";
    String message =
        entries == 0
            ? "it is no tar archive, gzipped or not, or it is %s; make one with tar -czf"
                .formatted(why)
            : "it is %s, at or behind the entry %s; make or send it again"
                .formatted(why, Fields.shown(last));
    return new SandgateException(ErrorCode.INVALID_ARGUMENT, "tar", "tar: " + message, failure);
  }

  @Override
  public void close() throws IOException {
    tar.close();
  }
}
