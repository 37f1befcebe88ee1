// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.store.Database;
import dev.sandgate.node.store.Statements;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What names stood for before they were moved: usable while something needs it, told for longer. Its catalogue's lock guards it. */
final class Versions {

  static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS environment_versions (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        tag TEXT NOT NULL,
        digests TEXT NOT NULL,
        user TEXT NOT NULL,
        created_millis INTEGER NOT NULL,
        replaced_millis INTEGER NOT NULL,
        usable INTEGER NOT NULL
      )\
      """;

  private static final int MOST_OF_A_NAME = 1_000;

  private final Map<String, List<Version>> all = new TreeMap<>();
  private long nextId = 1;

  /**
   * What a name stood for.
   *
   * @param id grows with time
   * @param named what it was
   * @param replacedMillis when something else took its place, since the epoch
   * @param usable whether its layers are kept for it
   */
  record Version(long id, Named named, long replacedMillis, boolean usable) {
    Version unusable() {
      return new Version(id, named, replacedMillis, false);
    }
  }

  Versions(Database database) {
    database
        .query(
            "SELECT * FROM environment_versions ORDER BY id",
            row ->
                new Version(
                    row.getLong("id"),
                    new Named(
                        row.getString("name"),
                        row.getString("tag"),
                        List.of(row.getString("digests").split(",")),
                        Published.read(row),
                        row.getLong("created_millis")),
                    row.getLong("replaced_millis"),
                    row.getBoolean("usable")))
        .forEach(this::put);
  }

  /** The one after all others; not among them before {@link #put}. */
  Version next(Named replaced, long millis) {
    return new Version(nextId, replaced, millis, true);
  }

  void put(Version version) {
    nextId = version.id() + 1;
    all.computeIfAbsent(version.named().key(), _ -> new ArrayList<>()).add(version);
  }

  /** Oldest first. */
  List<Version> of(String key) {
    return List.copyOf(all.getOrDefault(key, List.of()));
  }

  /** The youngest usable one. */
  Optional<Named> find(Predicate<Named> wanted) {
    return usable().map(Version::named).filter(wanted).reduce((_, later) -> later);
  }

  Stream<Version> usable() {
    return all.values().stream().flatMap(List::stream).filter(Version::usable);
  }

  /** The oldest that are only told of, where there are too many. */
  List<Version> tooMany(String key) {
    List<Version> of = all.getOrDefault(key, List.of());
    return of.stream()
        .filter(version -> !version.usable())
        .limit(Math.max(0, of.size() + 1 - MOST_OF_A_NAME))
        .toList();
  }

  void forget(Collection<Version> gone) {
    for (Version version : gone) {
      String key = version.named().key();
      List<Version> left = new ArrayList<>(of(key));
      left.remove(version);
      if (left.isEmpty()) {
        all.remove(key);
      } else {
        all.put(key, left);
      }
    }
  }

  void retire(Collection<Version> over) {
    over.forEach(
        version ->
            all.computeIfPresent(
                version.named().key(),
                (_, of) ->
                    new ArrayList<>(
                        of.stream().map(v -> v.equals(version) ? v.unusable() : v).toList())));
  }

  static void insert(Statements statements, Version version) throws SQLException {
    Named named = version.named();
    statements.update(
        "INSERT INTO environment_versions VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)",
        version.id(),
        named.name(),
        named.tag(),
        String.join(",", named.digests()),
        named.user(),
        named.createdMillis(),
        version.replacedMillis(),
        named.published().bytes());
  }

  static void delete(Statements statements, Collection<Version> gone) throws SQLException {
    for (Version version : gone) {
      statements.update("DELETE FROM environment_versions WHERE id = ?", version.id());
    }
  }

  static void retire(Statements statements, Collection<Version> over) throws SQLException {
    for (Version version : over) {
      statements.update("UPDATE environment_versions SET usable = 0 WHERE id = ?", version.id());
    }
  }
}
