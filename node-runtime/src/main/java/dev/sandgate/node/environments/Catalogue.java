// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Versions.Version;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.LayerKind;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What layers and environments there are: in memory for every create, in the database for the next start. */
public final class Catalogue {

  private static final String DIGEST = "sha256:";

  /** Statements that make the tables. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS layers (
            digest TEXT PRIMARY KEY,
            kind INTEGER NOT NULL,
            name TEXT NOT NULL,
            size INTEGER NOT NULL,
            source TEXT NOT NULL
          ) WITHOUT ROWID\
          """,
          """
          CREATE TABLE IF NOT EXISTS environments (
            name TEXT NOT NULL,
            tag TEXT NOT NULL,
            digests TEXT NOT NULL,
            user TEXT NOT NULL,
            created_millis INTEGER NOT NULL,
            PRIMARY KEY (name, tag)
          ) WITHOUT ROWID\
          """,
          Versions.TABLE,
          "ALTER TABLE environments " + Published.TABLE_COLUMN,
          "ALTER TABLE environment_versions " + Published.TABLE_COLUMN,
          Locks.TABLE,
          Statistics.TABLE);

  private final Database database;
  private final Map<String, StoredLayer> layers = new LinkedHashMap<>();
  private final TreeMap<String, Named> environments = new TreeMap<>();
  private final Versions versions;
  private boolean lingering = true; // there may be layers that no name needs, but a user

  /**
   * A layer.
   *
   * @param digest of its image
   * @param kind its place in a stack
   * @param name the environment it was made for
   * @param size of the image, bytes
   * @param source where it came from
   */
  record StoredLayer(String digest, LayerKind kind, String name, long size, String source) {}

  /**
   * An environment.
   *
   * @param digests of its layers, lowest first
   * @param published what it has besides
   * @param createdMillis since the epoch
   * @param digest of the stack
   */
  record Named(
      String name,
      String tag,
      List<String> digests,
      Published published,
      long createdMillis,
      String digest) {

    Named(String name, String tag, List<String> digests, Published published, long createdMillis) {
      this(name, tag, digests, published, createdMillis, digestOf(digests));
    }

    String user() {
      return published.user();
    }

    /** Whether it is the same but for the time and the owner. */
    boolean isAs(Named other) {
      return digests.equals(other.digests)
          && published.equals(other.published.of(published.owner()));
    }

    String key() {
      return name + ":" + tag;
    }
  }

  Catalogue(Database database) {
    this.database = database;
    database
        .query(
            "SELECT * FROM layers",
            row ->
                new StoredLayer(
                    row.getString("digest"),
                    kind(row.getInt("kind")),
                    row.getString("name"),
                    row.getLong("size"),
                    row.getString("source")))
        .forEach(layer -> layers.put(layer.digest(), layer));
    database
        .query(
            "SELECT * FROM environments",
            row ->
                new Named(
                    row.getString("name"),
                    row.getString("tag"),
                    List.of(row.getString("digests").split(",")),
                    Published.read(row),
                    row.getLong("created_millis")))
        .forEach(named -> environments.put(named.key(), named));
    versions = new Versions(database);
  }

  synchronized Optional<StoredLayer> layer(String digest) {
    return Optional.ofNullable(layers.get(digest));
  }

  synchronized Collection<StoredLayer> layers() {
    return List.copyOf(layers.values());
  }

  synchronized List<Named> environments() {
    return List.copyOf(environments.values());
  }

  /** The digests of what names stand for, and of what they stood for that is still usable. */
  synchronized Set<String> digests() {
    return Stream.concat(environments.values().stream(), versions.usable().map(Version::named))
        .map(Named::digest)
        .collect(Collectors.toSet());
  }

  /** Finds {@code name}, {@code name:tag}, either with {@code @sha256:…}, or {@code sha256:…}. */
  synchronized Optional<Named> find(String reference) {
    int at = reference.indexOf('@');
    if (at >= 0) {
      return find(reference.substring(0, at), reference.substring(at + 1));
    }
    if (reference.startsWith(DIGEST)) {
      return find("", reference);
    }
    return Optional.ofNullable(environments.get(key(reference)));
  }

  /** By its content: what names stand for comes before what they stood for; an empty name is any. */
  synchronized Optional<Named> find(String name, String digest) {
    Predicate<Named> wanted =
        named ->
            (name.isEmpty() || named.name().equals(name) || named.key().equals(name))
                && named.digest().equals(digest);
    return candidates(name).stream().filter(wanted).findFirst().or(() -> versions.find(wanted));
  }

  private Collection<Named> candidates(String name) {
    if (name.isEmpty()) {
      return environments.values();
    }
    if (name.indexOf(':') >= 0) {
      return environments.subMap(name, true, name, true).values();
    }
    return environments.subMap(name + ":", name + ";").values();
  }

  /** A name with its tag. */
  static String key(String reference) {
    return reference.indexOf(':') >= 0 ? reference : reference + ":latest";
  }

  /** What a name:tag stood for, oldest first. */
  synchronized List<Version> earlier(String key) {
    return versions.of(key);
  }

  /** ALREADY_EXISTS when its name is taken by something else. */
  synchronized void requireFree(Named named, boolean replace) {
    Named before = environments.get(named.key());
    if (before != null && !replace && !before.isAs(named)) {
      throw taken(named.key());
    }
  }

  /**
   * Puts layers and the environment with them under its name, together; blocks until it is kept. What is there already in the same
   * form is left as it is.
   */
  synchronized Named publish(List<StoredLayer> added, Named named, boolean replace) {
    Named before = environments.get(named.key());
    if (before != null && !replace && before.isAs(named)) {
      return before;
    }
    requirePossible(added, named, before != null && !replace);
    List<Version> replaced =
        before == null || before.digests().equals(named.digests())
            ? List.of()
            : List.of(versions.next(before, named.createdMillis()));
    List<Version> tooMany = versions.tooMany(named.key());
    database
        .change(
            statements -> {
              Rows.put(statements, added);
              Rows.put(statements, named);
              Versions.delete(statements, tooMany);
              for (Version version : replaced) {
                Versions.insert(statements, version);
              }
            })
        .join();
    versions.forget(tooMany);
    replaced.forEach(versions::put);
    added.forEach(layer -> layers.putIfAbsent(layer.digest(), layer));
    environments.put(named.key(), named);
    return named;
  }

  /** Layers, known or new, with one more among them, in the order base, workspaces, toolkits; lowest first. */
  synchronized List<String> stacked(
      List<String> beneath, List<StoredLayer> fresh, StoredLayer added) {
    Map<String, StoredLayer> all = new LinkedHashMap<>(layers);
    fresh.forEach(layer -> all.put(layer.digest(), layer));
    List<StoredLayer> stack = new ArrayList<>();
    for (String digest : beneath) {
      StoredLayer layer = all.get(digest);
      if (layer == null) {
        throw removedMeanwhile(digest);
      }
      if (!digest.equals(added.digest())) {
        stack.add(layer);
      }
    }
    stack.add(added);
    stack.sort(Comparator.comparingInt(layer -> layer.kind().getNumber()));
    return stack.stream().map(StoredLayer::digest).toList();
  }

  /** What is removed while something is made on it is no ground to stand on. */
  private static SandgateException removedMeanwhile(String digest) {
    return new SandgateException(
        ErrorCode.FAILED_PRECONDITION,
        "on",
        "on: the layer %s was removed meanwhile; import or pull what it belongs to and try again"
            .formatted(digest),
        null);
  }

  private void requirePossible(List<StoredLayer> added, Named named, boolean taken) {
    if (taken) {
      throw taken(named.key());
    }
    Set<String> fresh = added.stream().map(StoredLayer::digest).collect(Collectors.toSet());
    for (String digest : named.digests()) {
      if (!fresh.contains(digest) && !layers.containsKey(digest)) {
        throw removedMeanwhile(digest);
      }
    }
  }

  /**
   * Takes away what a name stands for, with all that it stood for and nothing needs, or one thing that it stood for; and the
   * layers that nothing names any more, which it returns.
   */
  synchronized List<String> remove(
      Named named, Predicate<Named> needed, Collection<String> stillUsed) {
    boolean current = named.equals(environments.get(named.key()));
    List<Version> gone =
        versions.of(named.key()).stream()
            .filter(v -> current ? !needed.test(v.named()) : v.named().equals(named))
            .toList();
    if (current) {
      environments.remove(named.key());
    }
    versions.forget(gone);
    return deleteLoose(
        stillUsed,
        statements -> {
          if (current) {
            statements.update(
                "DELETE FROM environments WHERE name = ? AND tag = ?", named.name(), named.tag());
          }
          Versions.delete(statements, gone);
        });
  }

  /**
   * Keeps of what was replaced before a time, and nothing needs, only that it was; returns the layers that nothing names or uses
   * any more.
   */
  synchronized List<String> retire(
      long beforeMillis, Predicate<Named> needed, Collection<String> stillUsed) {
    List<Version> over =
        versions
            .usable()
            .filter(v -> v.replacedMillis() <= beforeMillis && !needed.test(v.named()))
            .toList();
    if (over.isEmpty() && !lingering) {
      return List.of();
    }
    versions.retire(over);
    return deleteLoose(stillUsed, statements -> Versions.retire(statements, over));
  }

  private List<String> deleteLoose(Collection<String> stillUsed, Database.Change first) {
    Set<String> kept = new HashSet<>();
    environments.values().forEach(named -> kept.addAll(named.digests()));
    versions.usable().forEach(version -> kept.addAll(version.named().digests()));
    List<String> unnamed =
        layers.keySet().stream().filter(digest -> !kept.contains(digest)).toList();
    List<String> loose = unnamed.stream().filter(digest -> !stillUsed.contains(digest)).toList();
    database
        .change(
            statements -> {
              first.apply(statements);
              for (String digest : loose) {
                statements.update("DELETE FROM layers WHERE digest = ?", digest);
              }
            })
        .join();
    loose.forEach(layers::remove);
    lingering = loose.size() < unnamed.size();
    return loose;
  }

  /** Whether something else was made of it, and stands on its layers. */
  synchronized boolean isBeneath(Named named) {
    int size = named.digests().size();
    return environments.values().stream()
        .map(Named::digests)
        .anyMatch(
            of ->
                of.size() > size
                    && of.get(size - 1).equals(named.digests().getLast())
                    && of.subList(0, size).equals(named.digests()));
  }

  /** Names of what was made of a snapshot and holds its layer among others. */
  synchronized List<String> standingOn(Named named) {
    String top = named.digests().getLast();
    StoredLayer layer = layers.get(top);
    if (layer == null || layer.kind() != LayerKind.LAYER_KIND_SNAPSHOT) {
      return List.of();
    }
    return environments.values().stream()
        .filter(other -> other.digests().contains(top) && !other.digests().equals(named.digests()))
        .map(Named::key)
        .toList();
  }

  static SandgateException taken(String key) {
    return new SandgateException(
        ErrorCode.ALREADY_EXISTS,
        "name",
        "name: " + key + " exists; choose another name or tag, or set replace",
        null);
  }

  static String digestOf(List<String> digests) {
    try {
      byte[] text = String.join("\n", digests).getBytes(StandardCharsets.UTF_8);
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static LayerKind kind(int number) {
    LayerKind kind = LayerKind.forNumber(number);
    return kind == null ? LayerKind.LAYER_KIND_BASE : kind;
  }
}
