// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

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
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What layers and environments there are: in memory for every create, in the database for the next start. */
public final class Catalogue {

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
          """);

  private final Database database;
  private final Map<String, StoredLayer> layers = new LinkedHashMap<>();
  private final TreeMap<String, Named> environments = new TreeMap<>();

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
   * @param createdMillis since the epoch
   */
  record Named(String name, String tag, List<String> digests, String user, long createdMillis) {
    String key() {
      return name + ":" + tag;
    }

    String digest() {
      return digestOf(digests);
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
                    row.getString("user"),
                    row.getLong("created_millis")))
        .forEach(named -> environments.put(named.key(), named));
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

  /** Finds {@code name}, {@code name:tag} or {@code name@sha256:…}. */
  synchronized Optional<Named> find(String reference) {
    int at = reference.indexOf('@');
    if (at >= 0) {
      String name = reference.substring(0, at);
      String digest = reference.substring(at + 1);
      return environments.values().stream()
          .filter(named -> named.name().equals(name) && named.digest().equals(digest))
          .findFirst();
    }
    String key = reference.indexOf(':') >= 0 ? reference : reference + ":latest";
    return Optional.ofNullable(environments.get(key));
  }

  /** Puts layers and the environment with them under its name, together; blocks until it is kept. */
  synchronized void publish(List<StoredLayer> added, Named named, boolean replace) {
    if (!replace && environments.containsKey(named.key())) {
      throw taken(named.key());
    }
    database
        .change(
            statements -> {
              for (StoredLayer layer : added) {
                statements.update(
                    "INSERT OR IGNORE INTO layers VALUES (?, ?, ?, ?, ?)",
                    layer.digest(),
                    layer.kind().getNumber(),
                    layer.name(),
                    layer.size(),
                    layer.source());
              }
              statements.update(
                  "INSERT OR REPLACE INTO environments VALUES (?, ?, ?, ?, ?)",
                  named.name(),
                  named.tag(),
                  String.join(",", named.digests()),
                  named.user(),
                  named.createdMillis());
            })
        .join();
    added.forEach(layer -> layers.putIfAbsent(layer.digest(), layer));
    environments.put(named.key(), named);
  }

  /** Layers, known or new, with one more among them, in the order base, workspaces, toolkits; lowest first. */
  synchronized List<String> stacked(
      List<String> beneath, List<StoredLayer> fresh, StoredLayer added) {
    Map<String, StoredLayer> all = new LinkedHashMap<>(layers);
    fresh.forEach(layer -> all.put(layer.digest(), layer));
    List<StoredLayer> stack = new ArrayList<>();
    for (String digest : beneath) {
      StoredLayer layer = all.get(digest);
      if (layer != null && !digest.equals(added.digest())) {
        stack.add(layer);
      }
    }
    stack.add(added);
    stack.sort(Comparator.comparingInt(layer -> layer.kind().getNumber()));
    return stack.stream().map(StoredLayer::digest).toList();
  }

  /** Takes an environment away, and the layers that nothing names any more; returns those. */
  synchronized List<String> remove(Named named, Collection<String> stillUsed) {
    environments.remove(named.key());
    List<String> loose =
        layers.keySet().stream()
            .filter(digest -> !stillUsed.contains(digest))
            .filter(
                digest ->
                    environments.values().stream().noneMatch(e -> e.digests().contains(digest)))
            .toList();
    database
        .change(
            statements -> {
              statements.update(
                  "DELETE FROM environments WHERE name = ? AND tag = ?", named.name(), named.tag());
              for (String digest : loose) {
                statements.update("DELETE FROM layers WHERE digest = ?", digest);
              }
            })
        .join();
    loose.forEach(layers::remove);
    return loose;
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
