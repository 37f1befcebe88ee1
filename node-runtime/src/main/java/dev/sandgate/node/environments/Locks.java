// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.store.Database;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** What names stand for in jobs that locked them. Changes block until they are recorded. */
final class Locks {

  static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS environment_locks (
        job TEXT NOT NULL,
        name TEXT NOT NULL,
        tag TEXT NOT NULL,
        digest TEXT NOT NULL,
        locked_millis INTEGER NOT NULL,
        PRIMARY KEY (job, name, tag)
      ) WITHOUT ROWID\
      """;

  private static final int MOST = 100_000;

  private final Database database;
  private final TreeMap<String, TreeMap<String, Lock>> jobs = new TreeMap<>();
  private final Map<String, TreeSet<String>> holders = new HashMap<>();
  private int count;

  /**
   * A lock.
   *
   * @param digest of the environment that the job gets
   * @param lockedMillis since the epoch
   */
  record Lock(String job, String name, String tag, String digest, long lockedMillis) {
    String key() {
      return name + ":" + tag;
    }
  }

  Locks(Database database) {
    this.database = database;
    database
        .query(
            "SELECT * FROM environment_locks",
            row ->
                new Lock(
                    row.getString("job"),
                    row.getString("name"),
                    row.getString("tag"),
                    row.getString("digest"),
                    row.getLong("locked_millis")))
        .forEach(this::put);
  }

  /** What a name:tag stands for in a job, when it is locked. */
  synchronized Optional<String> digest(String job, String key) {
    return Optional.ofNullable(jobs.getOrDefault(job, new TreeMap<>()).get(key)).map(Lock::digest);
  }

  /** The jobs that have locked this. */
  synchronized List<String> of(Named named) {
    return List.copyOf(holders.getOrDefault(content(named.key(), named.digest()), new TreeSet<>()));
  }

  private static String content(String key, String digest) {
    return key + "@" + digest;
  }

  /** All of a job, or of all jobs when it is empty. */
  synchronized List<Lock> all(String job) {
    Map<String, TreeMap<String, Lock>> wanted =
        job.isEmpty() ? jobs : Map.of(job, jobs.getOrDefault(job, new TreeMap<>()));
    return wanted.values().stream().flatMap(of -> of.values().stream()).toList();
  }

  /** Locks; one that there is stays. */
  synchronized Lock add(String job, Named named) {
    Lock known = jobs.getOrDefault(job, new TreeMap<>()).get(named.key());
    if (known != null) {
      return known;
    }
    if (count >= MOST) {
      throw new SandgateException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "there are " + count + " locks of environments; release those of jobs that are over");
    }
    long now = System.currentTimeMillis();
    Lock lock = new Lock(job, named.name(), named.tag(), named.digest(), now);
    database
        .change(
            "INSERT INTO environment_locks VALUES (?, ?, ?, ?, ?)",
            job,
            lock.name(),
            lock.tag(),
            lock.digest(),
            now)
        .join();
    put(lock);
    return lock;
  }

  /** Releases one of a job, or all when the name is empty; how many there were. */
  synchronized int release(String job, String key) {
    List<Lock> gone = new ArrayList<>(all(job));
    gone.removeIf(lock -> !key.isEmpty() && !lock.key().equals(key));
    database
        .change(
            statements -> {
              for (Lock lock : gone) {
                statements.update(
                    "DELETE FROM environment_locks WHERE job = ? AND name = ? AND tag = ?",
                    job,
                    lock.name(),
                    lock.tag());
              }
            })
        .join();
    gone.forEach(this::take);
    return gone.size();
  }

  private void put(Lock lock) {
    jobs.computeIfAbsent(lock.job(), _ -> new TreeMap<>()).put(lock.key(), lock);
    holders
        .computeIfAbsent(content(lock.key(), lock.digest()), _ -> new TreeSet<>())
        .add(lock.job());
    count++;
  }

  private void take(Lock lock) {
    TreeMap<String, Lock> of = jobs.getOrDefault(lock.job(), new TreeMap<>());
    of.remove(lock.key());
    count--;
    if (of.isEmpty()) {
      jobs.remove(lock.job());
    }
    String content = content(lock.key(), lock.digest());
    TreeSet<String> left = holders.getOrDefault(content, new TreeSet<>());
    left.remove(lock.job());
    if (left.isEmpty()) {
      holders.remove(content);
    }
  }
}
