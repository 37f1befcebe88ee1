// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A POSIX access list from the text that GNU tar and bsdtar write ({@code SCHILY.acl.access}: {@code user::rw-,user:7:r--,…}) to the
 * attribute of the kernel (Linux, include/uapi/linux/posix_acl_xattr.h). Users and groups need numbers: names are another system's.
 */
final class AccessList {

  private static final Pattern LINE =
      Pattern.compile("(user|group|mask|other):([^:]*):([r-][w-][x-])(?::(\\d{1,10}))?");
  private static final int VERSION = 2;
  private static final int NO_ID = -1;
  private static final int LINE_BYTES = 8;

  private AccessList() {}

  private record Line(int tag, int permissions, int id) {}

  /** INVALID_ARGUMENT with the entry's name for what is none. */
  static byte[] of(String entry, String text) {
    List<Line> lines = new ArrayList<>();
    for (String line : text.split("[,\n]", -1)) {
      String told = line.split("#", 2)[0].strip();
      if (!told.isEmpty()) {
        lines.add(line(entry, told));
      }
    }
    lines.sort(Comparator.comparingInt(Line::tag).thenComparingInt(Line::id));
    ByteBuffer bytes =
        ByteBuffer.allocate(Integer.BYTES + LINE_BYTES * lines.size())
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(VERSION);
    lines.forEach(
        line ->
            bytes.putShort((short) line.tag).putShort((short) line.permissions).putInt(line.id));
    return bytes.array();
  }

  private static Line line(String entry, String text) {
    Matcher line = LINE.matcher(text);
    if (!line.matches()) {
      throw bad(entry, text, "is not taken; remove it");
    }
    boolean owner = line.group(2).isEmpty();
    int permissions = 0;
    for (int i = 0; i < 3; i++) {
      permissions = permissions << 1 | (line.group(3).charAt(i) == '-' ? 0 : 1);
    }
    int tag =
        switch (line.group(1)) {
          case "user" -> owner ? 0x01 : 0x02;
          case "group" -> owner ? 0x04 : 0x08;
          case "mask" -> 0x10;
          default -> 0x20;
        };
    return new Line(tag, permissions, owner ? NO_ID : id(entry, text, line));
  }

  private static int id(String entry, String text, Matcher line) {
    String number = line.group(4) == null ? line.group(2) : line.group(4);
    if (!number.matches("\\d{1,10}")) {
      throw bad(entry, text, "names no number; write the archive with --numeric-owner");
    }
    if (!EntryFacts.isId(Long.parseLong(number))) {
      throw bad(entry, text, "is of an id above %,d; remove it".formatted(EntryFacts.MOST_ID));
    }
    return Integer.parseInt(number);
  }

  private static RuntimeException bad(String entry, String line, String why) {
    return TarTree.bad(entry, "its access list's line " + Fields.shown(line) + " " + why);
  }
}
