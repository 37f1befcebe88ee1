// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes tar archives, wicked ones too. */
public final class Tars {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar;
  private String last = "";

  /** Empty, with names of any length. */
  public Tars() {
    tar = new TarArchiveOutputStream(bytes);
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
  }

  private Tars(String encoding) {
    tar = new TarArchiveOutputStream(bytes, encoding);
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
  }

  /** Empty; names become a byte a character. */
  public static Tars latin1() {
    return new Tars(StandardCharsets.ISO_8859_1.name());
  }

  /** A directory. */
  public Tars directory(String name) {
    return put(new TarArchiveEntry(name + "/", true), "");
  }

  /** A file. */
  public Tars file(String name, String text) {
    return put(new TarArchiveEntry(name, true), text);
  }

  /** A file of somebody's. */
  public Tars owned(String name, long owner, long group) {
    TarArchiveEntry entry = new TarArchiveEntry(name, true);
    entry.setUserId(owner);
    entry.setGroupId(group);
    return put(entry, "");
  }

  /** A file, a directory if its name ends so, or a link if it leads somewhere, with a record of its PAX header. */
  public Tars with(String name, String target, String record, String value) {
    TarArchiveEntry entry =
        target.isEmpty()
            ? new TarArchiveEntry(name, true)
            : new TarArchiveEntry(name, TarConstants.LF_SYMLINK, true);
    entry.setLinkName(target);
    entry.addPaxHeader(record, value);
    return put(entry, "");
  }

  /** A symbolic link. */
  public Tars link(String name, String target) {
    return special(name, TarConstants.LF_SYMLINK, target);
  }

  /** A hard link. */
  public Tars hardLink(String name, String target) {
    return special(name, TarConstants.LF_LINK, target);
  }

  /** A character device. */
  public Tars device(String name) {
    TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_CHR, true);
    entry.setDevMajor(1);
    entry.setDevMinor(3);
    return put(entry, "");
  }

  /** A named pipe. */
  public Tars pipe(String name) {
    return put(new TarArchiveEntry(name, TarConstants.LF_FIFO, true), "");
  }

  /** The archive. */
  public byte[] bytes() {
    try {
      tar.finish();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The name of the last entry. */
  public String last() {
    return last;
  }

  private Tars special(String name, byte type, String target) {
    TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
    entry.setLinkName(target);
    return put(entry, "");
  }

  private Tars put(TarArchiveEntry entry, String text) {
    byte[] data = text.getBytes(StandardCharsets.UTF_8);
    entry.setSize(data.length);
    entry.setModTime(0);
    last = entry.getName();
    try {
      tar.putArchiveEntry(entry);
      tar.write(data);
      tar.closeArchiveEntry();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
