// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.files;

import dev.sandgate.proto.v1.FileChange;
import dev.sandgate.proto.v1.FsChanges;
import dev.sandgate.spi.Change;
import dev.sandgate.spi.Change.Kind;
import dev.sandgate.spi.Files.FileType;
import dev.sandgate.spi.Sandbox;
import io.smallrye.mutiny.Uni;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What changed in a sandbox while something ran: the difference of what it had changed of its environment before and
 * after, at the cost of those changes, not of its tree. Changes of whoever else runs meanwhile are among them; what was
 * made and removed again, and another mode of a directory that it had made before, are not.
 */
public final class ChangesAround {

  private static final int MAX_LISTED = 20_000;
  private static final int MAX_ANSWERED_BYTES = 2 << 20;

  private final Map<String, Change> before;
  private final Map<String, Change> after;
  private final FsChanges.Builder found = FsChanges.newBuilder();
  private int bytes;

  private ChangesAround(Map<String, Change> before, Map<String, Change> after) {
    this.before = before;
    this.after = after;
  }

  /**
   * What was done and what changed meanwhile.
   *
   * @param result of the work
   * @param changes in the sandbox
   */
  public record Done<T>(T result, FsChanges changes) {}

  /** Does the work between two looks at the sandbox. */
  public static <T> Uni<Done<T>> of(Sandbox sandbox, Supplier<Uni<T>> work) {
    return listed(sandbox)
        .flatMap(
            before ->
                work.get()
                    .flatMap(
                        result ->
                            listed(sandbox)
                                .map(
                                    after ->
                                        new Done<>(
                                            result, new ChangesAround(before, after).diff()))));
  }

  private static Uni<Map<String, Change>> listed(Sandbox sandbox) {
    return sandbox
        .changes()
        .select()
        .first(MAX_LISTED + 1)
        .collect()
        .in(HashMap::new, (all, change) -> all.put(change.path(), change));
  }

  private FsChanges diff() {
    if (before.size() > MAX_LISTED || after.size() > MAX_LISTED) {
      return found.setTruncated(true).build();
    }
    after.values().forEach(now -> compare(before.get(now.path()), now));
    before.values().stream()
        .filter(was -> was.kind() == Kind.ADDED && !after.containsKey(was.path()))
        .forEach(was -> add(Kind.REMOVED, was));
    return found.build();
  }

  private void compare(@Nullable Change was, Change now) {
    if (was == null) {
      add(now.kind(), now);
    } else if (was.kind() == Kind.REMOVED && now.kind() != Kind.REMOVED) {
      add(Kind.ADDED, now);
    } else if (now.kind() == Kind.REMOVED) {
      if (was.kind() != Kind.REMOVED) {
        add(Kind.REMOVED, now);
      }
    } else if (was.type() != now.type()
        || (now.type() != FileType.DIRECTORY && was.changedNanos() != now.changedNanos())) {
      add(Kind.MODIFIED, now);
    }
  }

  private void add(Kind kind, Change change) {
    switch (kind) {
      case ADDED -> found.setAdded(found.getAdded() + 1);
      case MODIFIED -> found.setModified(found.getModified() + 1);
      case REMOVED -> found.setRemoved(found.getRemoved() + 1);
    }
    FileChange shown = Infos.shown(change).toBuilder().setKind(Infos.kind(kind)).build();
    bytes += shown.getSerializedSize();
    if (bytes <= MAX_ANSWERED_BYTES) {
      found.addChanges(shown);
    } else {
      found.setTruncated(true);
    }
  }
}
