// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.trajectory;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.node.store.Database;
import dev.sandgate.proto.v1.ExecResult;
import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.proto.v1.TrajectoryEntry;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The table of commands. A row is made before a command is started and gets its result once; a sandbox's id and a
 * command's id together are in it once, so that no command is started twice whatever was forgotten elsewhere.
 *
 * <p>Revisions are given by the writer, in the order of commits: who has read up to one has missed nothing below it.
 */
public final class Steps {

  /** Statements that make the tables. */
  public static final List<String> SCHEMA =
      List.of(
          """
          CREATE TABLE IF NOT EXISTS steps (
            sequence INTEGER PRIMARY KEY,
            revision INTEGER NOT NULL,
            sandbox_id TEXT NOT NULL,
            exec_id TEXT NOT NULL,
            episode TEXT,
            rollout TEXT,
            job TEXT,
            ended_millis INTEGER NOT NULL,
            entry BLOB NOT NULL,
            result BLOB
          )\
          """,
          "CREATE UNIQUE INDEX IF NOT EXISTS steps_ids ON steps (sandbox_id, exec_id)",
          "CREATE UNIQUE INDEX IF NOT EXISTS steps_revisions ON steps (revision)",
          """
          CREATE TABLE IF NOT EXISTS step_changes (
            sequence INTEGER PRIMARY KEY,
            changes BLOB NOT NULL
          )\
          """,
          """
          CREATE TABLE IF NOT EXISTS trajectory_ends (
            sandbox_id TEXT PRIMARY KEY,
            ended_millis INTEGER NOT NULL
          ) WITHOUT ROWID\
          """);

  private static final String COLUMNS =
      "SELECT sequence, revision, ended_millis, entry, result, (SELECT changes FROM step_changes"
          + " WHERE step_changes.sequence = steps.sequence) AS changes FROM steps ";
  private static final int CHANGES_BYTES = 64 << 10;

  private final Database database;
  private final Sequence sequence;
  private volatile boolean full;

  /** The table of a database; blocks. */
  public Steps(Database database) {
    this.database = database;
    this.sequence =
        new Sequence(
            database
                .query("SELECT COALESCE(MAX(revision), 0) FROM steps", row -> row.getLong(1))
                .getFirst());
  }

  /** Numbers for rows. */
  public Sequence sequence() {
    return sequence;
  }

  /** Says that no command may be recorded any more, or may again. */
  void full(boolean now) {
    full = now;
  }

  /** Records that a command is about to be started; ALREADY_EXISTS when its id is known. */
  public CompletableFuture<Void> begin(TrajectoryEntry entry) {
    if (full) {
      return CompletableFuture.failedFuture(
          new SandgateException(
              ErrorCode.RESOURCE_EXHAUSTED,
              "the node's trajectories have all the space they may have; delete sandboxes or raise"
                  + " node.trajectory-bytes"));
    }
    byte[] bytes = entry.toByteArray();
    return database.change(
        statements ->
            statements.update(
                "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, NULL)",
                entry.getSequence(),
                sequence.next(),
                entry.getSandboxId(),
                entry.getExecId(),
                label(entry, "episode"),
                label(entry, "rollout"),
                label(entry, "job"),
                bytes));
  }

  /** Records what came of a command, once. */
  public CompletableFuture<Void> end(long sequenceOfStep, ExecResult result) {
    byte[] bytes = result.toByteArray();
    return database.change(
        statements ->
            statements.update(
                "UPDATE steps SET revision = ?, ended_millis = ?, result = ?"
                    + " WHERE sequence = ? AND ended_millis = 0",
                sequence.next(),
                System.currentTimeMillis(),
                bytes,
                sequenceOfStep));
  }

  /** Records which files a command changed, as many as fit into 64 KiB; its entry is read again after that. */
  public CompletableFuture<Void> changed(long sequenceOfStep, FsChanges changes) {
    byte[] bytes = bounded(changes).toByteArray();
    return database.change(
        statements -> {
          statements.update(
              "INSERT OR REPLACE INTO step_changes VALUES (?, ?)", sequenceOfStep, bytes);
          statements.update(
              "UPDATE steps SET revision = ? WHERE sequence = ?", sequence.next(), sequenceOfStep);
        });
  }

  /** The counts are always right, the list is cut. */
  static FsChanges bounded(FsChanges changes) {
    if (changes.getSerializedSize() <= CHANGES_BYTES) {
      return changes;
    }
    FsChanges.Builder kept = changes.toBuilder().clearChanges().setTruncated(true);
    int room = CHANGES_BYTES - kept.build().getSerializedSize();
    for (FileChange change : changes.getChangesList()) {
      // Its tag and its length take up to 4 bytes.
      room -= change.getSerializedSize() + 4;
      if (room < 0) {
        break;
      }
      kept.addChanges(change);
    }
    return kept.build();
  }

  /** Takes back that a command is about to be started: it was not. */
  public CompletableFuture<Void> drop(long sequenceOfStep) {
    return database.change("DELETE FROM steps WHERE sequence = ?", sequenceOfStep);
  }

  /** Finds a command; blocks. */
  public Optional<Step> find(String sandboxId, String execId) {
    return database
        .query(COLUMNS + "WHERE sandbox_id = ? AND exec_id = ?", Steps::read, sandboxId, execId)
        .stream()
        .findFirst();
  }

  /** The commands of a sandbox whose results are not recorded; blocks. */
  public List<Step> unfinished(String sandboxId) {
    return database.query(
        COLUMNS + "WHERE sandbox_id = ? AND ended_millis = 0 ORDER BY sequence",
        Steps::read,
        sandboxId);
  }

  /** The newest commands of a sandbox that ended after a time, oldest first; blocks. */
  public List<Step> endedSince(String sandboxId, long sinceMillis, int most) {
    return database
        .query(
            COLUMNS + "WHERE sandbox_id = ? AND ended_millis > ? ORDER BY sequence DESC LIMIT ?",
            Steps::read,
            sandboxId,
            sinceMillis,
            most)
        .reversed();
  }

  static @Nullable String label(TrajectoryEntry entry, String key) {
    return entry.getLabelsMap().get(key);
  }

  /** Reads entries behind a revision, in the order of revisions; blocks. */
  List<Step> behind(Selection selection, long revision, int most) {
    return database.query(
        COLUMNS + selection.condition() + " ORDER BY revision LIMIT ?",
        Steps::read,
        selection.values(revision, most));
  }

  private static ExecResult withChanges(ExecResult result, byte @Nullable [] changes)
      throws InvalidProtocolBufferException {
    return changes == null
        ? result
        : result.toBuilder().setFsChanges(FsChanges.parseFrom(changes)).build();
  }

  private static Step read(ResultSet row) throws SQLException {
    try {
      TrajectoryEntry.Builder entry =
          TrajectoryEntry.parseFrom(row.getBytes("entry")).toBuilder()
              .setSequence(row.getLong("sequence"))
              .setRevision(row.getLong("revision"));
      byte[] result = row.getBytes("result");
      if (result != null) {
        ExecResult ended = withChanges(ExecResult.parseFrom(result), row.getBytes("changes"));
        entry
            .getExecBuilder()
            .setResult(ended)
            .setStdoutBytes(ended.getStdoutBytes())
            .setStderrBytes(ended.getStderrBytes());
      }
      return new Step(entry.build(), row.getLong("ended_millis"));
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(ErrorCode.INTERNAL, "", "a command's record is damaged", e);
    }
  }
}
