// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.trajectory;

import dev.sandgate.node.config.Recording;
import dev.sandgate.node.store.Database;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Forgets the commands of sandboxes that ended long ago, and when the database is large those that ended first. Never those
 * of a living sandbox: then no command is started instead, or it might be started twice.
 */
final class Retention {

  private static final int AT_ONCE = 32;

  private final Database database;
  private final Steps steps;
  private final Recording limits;

  Retention(Database database, Steps steps, Recording limits) {
    this.database = database;
    this.steps = steps;
    this.limits = limits;
  }

  CompletableFuture<Void> ended(String sandboxId, long nowMillis) {
    return database.change(
        "INSERT OR IGNORE INTO trajectory_ends VALUES (?, ?)", sandboxId, nowMillis);
  }

  /** Looks once; blocks. */
  void sweep(long nowMillis) {
    long before = nowMillis - limits.trajectoryRetention().toMillis();
    forget(
        database.query(
            "SELECT sandbox_id FROM trajectory_ends WHERE ended_millis <= ? LIMIT ?",
            row -> row.getString(1),
            before,
            AT_ONCE));
    while (bytes() > limits.trajectoryBytes()) {
      List<String> oldest =
          database.query(
              "SELECT sandbox_id FROM trajectory_ends ORDER BY ended_millis LIMIT ?",
              row -> row.getString(1),
              AT_ONCE);
      if (oldest.isEmpty()) {
        steps.full(true);
        return;
      }
      forget(oldest);
    }
    steps.full(false);
  }

  private void forget(List<String> sandboxIds) {
    if (!sandboxIds.isEmpty()) {
      database
          .change(
              statements -> {
                for (String id : sandboxIds) {
                  statements.update(
                      "DELETE FROM step_changes WHERE sequence IN"
                          + " (SELECT sequence FROM steps WHERE sandbox_id = ?)",
                      id);
                  statements.update("DELETE FROM steps WHERE sandbox_id = ?", id);
                  statements.update("DELETE FROM trajectory_ends WHERE sandbox_id = ?", id);
                }
              })
          .join();
    }
  }

  private long bytes() {
    return database
        .query(
            "SELECT (SELECT page_count FROM pragma_page_count)"
                + " - (SELECT freelist_count FROM pragma_freelist_count),"
                + " (SELECT page_size FROM pragma_page_size)",
            row -> row.getLong(1) * row.getLong(2))
        .getFirst();
  }
}
