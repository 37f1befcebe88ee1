// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/** Changes owners by names or numbers, links not followed. */
final class Owners {

  private Owners() {}

  /** Gives an entry to {@code user}, {@code user:group} or {@code :group}; an empty owner leaves it. */
  static void change(Path entry, String owner) throws IOException {
    String[] parts = owner.split(":", -1);
    if (!parts[0].isEmpty()) {
      set(entry, parts[0], "uid", "owner:owner", false);
    }
    if (parts.length > 1) {
      set(entry, parts[1], "gid", "posix:group", true);
    }
  }

  private static void set(Path entry, String who, String number, String named, boolean group)
      throws IOException {
    if (who.matches("[0-9]{1,9}")) {
      Files.setAttribute(entry, "unix:" + number, Integer.parseInt(who), NOFOLLOW_LINKS);
      return;
    }
    UserPrincipalLookupService known = entry.getFileSystem().getUserPrincipalLookupService();
    try {
      Files.setAttribute(
          entry,
          named,
          group ? known.lookupPrincipalByGroupName(who) : known.lookupPrincipalByName(who),
          NOFOLLOW_LINKS);
    } catch (UserPrincipalNotFoundException e) {
      throw new SandgateException(ErrorCode.FILE_FAILED, "", who + ": no such owner", e);
    }
  }
}
