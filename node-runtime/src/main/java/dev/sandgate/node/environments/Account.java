// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.checks.Fields;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Who commands run as: names of the root's own lists or numbers, found in sandboxes by the same rules (native/agent/account.c).
 *
 * @param user may be empty
 * @param group in the place of the user's own groups; may be empty
 */
record Account(String user, String group) {

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
  private static final int MOST_BYTES = 1 << 20;

  /** A list of users or groups: where it is, and how many of its fields a line must have. */
  private enum Names {
    USER("etc/passwd", 7, 3),
    GROUP("etc/group", 4, 2);

    private static final int FIRST_ID = 2;

    private final Path file;
    private final int fields;
    private final int lastId;

    Names(String file, int fields, int lastId) {
      this.file = Path.of(file);
      this.fields = fields;
      this.lastId = lastId;
    }

    private boolean has(Path list, String name) throws IOException {
      String wanted =
          new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      return lines(list)
          .map(line -> line.split(":", -1))
          .anyMatch(line -> line.length >= fields && line[0].equals(wanted) && hasIds(line));
    }

    private boolean hasIds(String[] line) {
      return Arrays.stream(line, FIRST_ID, lastId + 1).allMatch(Account::isId);
    }
  }

  /** Reads {@code USER[:GROUP]}. */
  static Account of(String text) {
    String[] parts = text.split(":", 2);
    return new Account(parts[0], parts.length == 1 ? "" : parts[1]);
  }

  /** As {@link #of} reads it. */
  String text() {
    return group.isEmpty() ? user : user + ":" + group;
  }

  /** With another one's user when it has none, and with that one's group when it has none either. */
  Account or(Account other) {
    return user.isEmpty() ? new Account(other.user, group.isEmpty() ? other.group : group) : this;
  }

  /** Whether a root's list of users has one. */
  static boolean lists(Beneath view, String user) throws IOException {
    Optional<Path> list = list(view, Names.USER);
    return list.isPresent() && Names.USER.has(list.get(), user);
  }

  /**
   * INVALID_ARGUMENT with the field when no command could run as it.
   *
   * @param whole whether the view is the whole root; a list that it lacks is otherwise another layer's, and not looked at
   */
  void check(String field, Beneath view, boolean whole) throws IOException {
    check(field, user, view, Names.USER, whole);
    if (!group.isEmpty()) {
      check(field, group, view, Names.GROUP, whole);
    }
  }

  private static void check(String field, String name, Beneath view, Names names, boolean whole)
      throws IOException {
    if (name.equals("root") || isId(name)) {
      return;
    }
    Optional<Path> list = list(view, names);
    if (list.isPresent() ? names.has(list.get(), name) : !whole) {
      return;
    }
    throw none(field, name, names);
  }

  private static SandgateException none(String field, String name, Names names) {
    String what = names == Names.USER ? "user" : "group";
    String why =
        NUMBER.matcher(name).matches()
            ? "is out of range: a sandbox has ids up to %,d".formatted(EntryFacts.MOST_ID)
            : "is not in its /" + names.file;
    return SandgateException.invalid(
        field, "%s %s %s; give --user one that it has".formatted(what, Fields.shown(name), why));
  }

  private static boolean isId(String text) {
    return NUMBER.matcher(text).matches() && EntryFacts.isId(Long.parseLong(text));
  }

  private static Optional<Path> list(Beneath view, Names names) throws IOException {
    // The dot has a link at its end followed, too.
    Optional<Path> place = view.resolve(names.file.resolve("."));
    Optional<Path> file = place.isEmpty() ? Optional.empty() : view.find(place.get());
    return file.filter(found -> Files.isRegularFile(found, LinkOption.NOFOLLOW_LINKS));
  }

  private static Stream<String> lines(Path list) throws IOException {
    try (InputStream in = Files.newInputStream(list)) {
      return new String(in.readNBytes(MOST_BYTES), StandardCharsets.ISO_8859_1).lines();
    }
  }
}
