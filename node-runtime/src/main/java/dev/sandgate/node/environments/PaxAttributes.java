// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The extended attributes of one entry, from the raw bytes of its PAX header ({@code SCHILY.xattr.NAME}, as GNU tar, bsdtar and
 * container tools write them): the library reads all values as text and would damage a binary one, such as a capability.
 */
final class PaxAttributes {

  private static final String PREFIX = "SCHILY.xattr.";
  private static final Set<String> KEPT =
      Set.of("security.capability", "system.posix_acl_access", "system.posix_acl_default");
  private static final int MOST_BYTES = 4 << 20;

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
    for (Map.Entry<String, byte[]> attribute : values().entrySet()) {
      String name = attribute.getKey();
      if (KEPT.contains(name) || name.startsWith("user.")) {
        OverlayMarks.set(target, name, attribute.getValue());
      } else if (!name.startsWith("security.")) {
        throw TarTree.bad(entry, "the extended attribute " + name + " is not taken; remove it");
      }
    }
  }

  /** Records are {@code LENGTH KEY=VALUE\n}; the length counts all of it. */
  private Map<String, byte[]> values() throws IOException {
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
      if (key.startsWith(PREFIX)) {
        values.put(key.substring(PREFIX.length()), Arrays.copyOfRange(all, equals + 1, end - 1));
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
