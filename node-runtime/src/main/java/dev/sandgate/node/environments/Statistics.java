// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.UseStatistics;
import dev.sandgate.proto.v1.WeekOfUse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * How often environments and layers were used, by whom and when. Counting takes no time of a create: what changed is recorded by
 * {@link #flush}. Jobs are counted by a hash of their names, up to a limit.
 */
final class Statistics {

  static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS environment_uses (
        key TEXT PRIMARY KEY,
        created INTEGER NOT NULL,
        in_jobs INTEGER NOT NULL,
        first_millis INTEGER NOT NULL,
        last_millis INTEGER NOT NULL,
        weeks TEXT NOT NULL,
        jobs BLOB NOT NULL
      ) WITHOUT ROWID\
      """;

  private static final int MOST_JOBS = 4_096;
  private static final int MOST_WEEKS = 12;
  private static final long WEEK_MILLIS = TimeUnit.DAYS.toMillis(7);
  private static final long FIRST_MONDAY_MILLIS = TimeUnit.DAYS.toMillis(4);

  private final Database database;
  private final TreeMap<String, Counter> counters = new TreeMap<>();
  private final Set<String> changed = new LinkedHashSet<>();

  /** What is counted of one thing. */
  private static final class Counter {
    private long created;
    private long inJobs;
    private long firstMillis;
    private long lastMillis;
    private final TreeMap<Long, Long> weeks = new TreeMap<>();
    private final Set<Long> jobs = new LinkedHashSet<>();

    void count(long now, String job) {
      created++;
      firstMillis = firstMillis == 0 ? now : firstMillis;
      lastMillis = now;
      weeks.merge(Math.floorDiv(now - FIRST_MONDAY_MILLIS, WEEK_MILLIS), 1L, Long::sum);
      while (weeks.size() > MOST_WEEKS) {
        weeks.pollFirstEntry();
      }
      if (!job.isEmpty()) {
        inJobs++;
        if (jobs.size() < MOST_JOBS) {
          jobs.add(hash(job));
        }
      }
    }

    Object[] row(String key) {
      ByteBuffer hashes = ByteBuffer.allocate(jobs.size() * Long.BYTES);
      jobs.forEach(hashes::putLong);
      List<String> counts = new ArrayList<>();
      weeks.forEach((week, count) -> counts.add(week + "=" + count));
      return new Object[] {
        key, created, inJobs, firstMillis, lastMillis, String.join(",", counts), hashes.array()
      };
    }

    static Counter of(ResultSet row) throws SQLException {
      Counter counter = new Counter();
      counter.created = row.getLong("created");
      counter.inJobs = row.getLong("in_jobs");
      counter.firstMillis = row.getLong("first_millis");
      counter.lastMillis = row.getLong("last_millis");
      for (String week : row.getString("weeks").split(",", -1)) {
        String[] parts = week.split("=", -1);
        counter.weeks.put(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
      }
      ByteBuffer hashes = ByteBuffer.wrap(row.getBytes("jobs"));
      while (hashes.hasRemaining()) {
        counter.jobs.add(hashes.getLong());
      }
      return counter;
    }

    UseStatistics.Builder shown() {
      UseStatistics.Builder shown =
          UseStatistics.newBuilder()
              .setCreated(created)
              .setJobs(jobs.size())
              .setFirstUsedAt(EnvironmentsService.time(firstMillis))
              .setLastUsedAt(EnvironmentsService.time(lastMillis));
      if (!jobs.isEmpty()) {
        shown.setSandboxesPerJob((double) inJobs / jobs.size());
      }
      weeks
          .descendingMap()
          .forEach(
              (week, count) ->
                  shown.addWeeks(
                      WeekOfUse.newBuilder()
                          .setBeginsAt(
                              EnvironmentsService.time(week * WEEK_MILLIS + FIRST_MONDAY_MILLIS))
                          .setCreated(count)));
      return shown;
    }
  }

  Statistics(Database database) {
    this.database = database;
    database
        .query(
            "SELECT * FROM environment_uses",
            row -> Map.entry(row.getString("key"), Counter.of(row)))
        .forEach(entry -> counters.put(entry.getKey(), entry.getValue()));
  }

  /** What an environment is counted under: its content under its name. */
  static String key(Named named) {
    return named.key() + "@" + named.digest();
  }

  /** Counts a sandbox that was made; its job may be empty. */
  synchronized void count(Stack stack, String job) {
    long now = System.currentTimeMillis();
    count(stack.name() + "@" + stack.environment(), now, job);
    stack.digests().forEach(digest -> count(digest, now, job));
  }

  private void count(String key, long now, String job) {
    counters.computeIfAbsent(key, _ -> new Counter()).count(now, job);
    changed.add(key);
  }

  /** What was counted; who lives is not known here. */
  synchronized UseStatistics.Builder of(String key) {
    Counter counter = counters.get(key);
    return counter == null ? UseStatistics.newBuilder() : counter.shown();
  }

  /** Forgets layers that are gone. */
  synchronized void forget(List<String> layers) {
    layers.forEach(this::forget);
  }

  /** Forgets what a name stood for, but for what is still there. */
  synchronized void forget(String name, Predicate<String> digestIsThere) {
    String first = name + "@";
    List<String> keys = List.copyOf(counters.subMap(first, name + "A").keySet());
    keys.stream()
        .filter(key -> !digestIsThere.test(key.substring(first.length())))
        .forEach(this::forget);
  }

  private void forget(String key) {
    if (counters.remove(key) != null) {
      changed.add(key);
    }
  }

  /** Records what changed since the last time; blocks. */
  void flush() {
    List<Object[]> rows = new ArrayList<>();
    List<String> gone = new ArrayList<>();
    synchronized (this) {
      for (String key : changed) {
        Counter counter = counters.get(key);
        if (counter == null) {
          gone.add(key);
        } else {
          rows.add(counter.row(key));
        }
      }
      changed.clear();
    }
    if (rows.isEmpty() && gone.isEmpty()) {
      return;
    }
    database
        .change(
            statements -> {
              for (Object[] row : rows) {
                statements.update(
                    "INSERT OR REPLACE INTO environment_uses VALUES (?, ?, ?, ?, ?, ?, ?)", row);
              }
              for (String key : gone) {
                statements.update("DELETE FROM environment_uses WHERE key = ?", key);
              }
            })
        .join();
  }

  private static long hash(String job) {
    MessageDigest digest = OciLayout.sha256();
    return ByteBuffer.wrap(digest.digest(job.getBytes(StandardCharsets.UTF_8))).getLong();
  }
}
