// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The extended attributes and access lists of one entry, from the raw bytes of its PAX header ({@code SCHILY.xattr.NAME} and
 * {@code SCHILY.acl.access}, as GNU tar, bsdtar and container tools write them): the library reads all values as text and would damage a binary one, such as a capability.
 */
final class PaxAttributes {

  private static final String PREFIX = "SCHILY.xattr.";
  private static final Map<String, String> ACCESS_LISTS =
      Map.of(
          "SCHILY.acl.access", "system.posix_acl_access",
          "SCHILY.acl.default", "system.posix_acl_default");
  private static final Set<String> KEPT =
      Set.of("security.capability", "system.posix_acl_access", "system.posix_acl_default");
  private static final int MOST_BYTES = 4 << 20;
  private static final long LITTLE_SPACE = 1 << 20;

  private final ByteArrayOutputStream header = new ByteArrayOutputStream();

  void clear() {
    header.reset();
  }

  void append(byte[] bytes, int offset, int count) throws IOException {
    if (header.size() + count > MOST_BYTES) {
      throw new IOException("a PAX header has more than 4 MiB");
    }
    header.write(bytes, offset, count);
  }

  /** Sets those that a layer keeps; drops labels of another host's security module; refuses what would steer the overlay. */
  void set(String entry, Path target) throws IOException {
    for (Map.Entry<String, byte[]> attribute : values(entry).entrySet()) {
      if (isKept(entry, attribute.getKey())) {
        set(entry, target, attribute.getKey(), attribute.getValue());
      }
    }
  }

  /** Refuses the same of an entry that has none: links and pipes. */
  void check(String entry) {
    for (String name : values(entry).keySet()) {
      isKept(entry, name);
    }
  }

  private static boolean isKept(String entry, String name) {
    if (EntryFacts.isReplaced(name)) {
      throw TarTree.bad(entry, "an extended attribute's name is not UTF-8; remove it");
    }
    boolean kept = KEPT.contains(name) || name.startsWith("user.");
    if (!kept && !name.startsWith("security.")) {
      throw TarTree.bad(entry, "the extended attribute " + name + " is not taken; remove it");
    }
    return kept;
  }

  private static void set(String entry, Path target, String name, byte[] value) throws IOException {
    try {
      OverlayMarks.set(target, name, value);
    } catch (FileSystemException e) {
      if (Files.getFileStore(target).getUsableSpace() < LITTLE_SPACE) {
        throw e;
      }
      throw TarTree.bad(
          entry,
          "the extended attribute %s of %,d bytes cannot be kept on this node's disk (%s); remove it"
              .formatted(Fields.shown(name), value.length, e.getReason()));
    }
  }

  private Map<String, byte[]> values(String entry) {
    try {
      return records(entry);
    } catch (IOException e) {
      throw TarTree.bad(entry, e.getMessage() + "; make the archive again");
    }
  }

  /** Records are {@code LENGTH KEY=VALUE\n}; the length counts all of it. */
  private Map<String, byte[]> records(String entry) throws IOException {
    Map<String, byte[]> values = new LinkedHashMap<>();
    byte[] all = header.toByteArray();
    for (int at = 0; at < all.length && all[at] != 0; ) {
      int space = indexOf(all, ' ', at);
      int end = at + length(all, at, space);
      int equals = indexOf(all, '=', space);
      if (end > all.length || equals >= end) {
        throw new IOException("a PAX header is damaged");
      }
      String key = new String(all, space + 1, equals - space - 1, StandardCharsets.UTF_8);
      byte[] value = Arrays.copyOfRange(all, equals + 1, end - 1);
      if (key.startsWith(PREFIX)) {
        values.put(key.substring(PREFIX.length()), value);
      } else if (ACCESS_LISTS.containsKey(key)) {
        String text = new String(value, StandardCharsets.UTF_8);
        values.put(ACCESS_LISTS.get(key), AccessList.of(entry, text));
      }
      at = end;
    }
    return values;
  }

  private static int length(byte[] all, int from, int to) throws IOException {
    try {
      return Integer.parseUnsignedInt(new String(all, from, to - from, StandardCharsets.US_ASCII));
    } catch (NumberFormatException e) {
      throw new IOException("a PAX header is damaged", e);
    }
  }

  private static int indexOf(byte[] all, char wanted, int from) throws IOException {
    for (int i = from; i < all.length; i++) {
      if (all[i] == wanted) {
        return i;
      }
    }
    throw new IOException("a PAX header is damaged");
  }
}
