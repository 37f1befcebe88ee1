// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.trajectory;

import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Printable;
import dev.sandgate.cli.trajectory.Remains.Difference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of a replay.
 *
 * @param commands all that were recorded, in order
 * @param changesCompared whether both sandboxes could be looked at
 * @param differences between what they changed
 */
record Verdict(List<Replayed> commands, boolean changesCompared, List<Difference> differences) {

  /** In a word. */
  enum Word {
    SAME,
    DIFFERENT,
    INCOMPLETE
  }

  Word word() {
    if (!differences.isEmpty() || commands.stream().anyMatch(Replayed::differs)) {
      return Word.DIFFERENT;
    }
    boolean whole = changesCompared && commands.stream().noneMatch(Replayed::isSkipped);
    return whole ? Word.SAME : Word.INCOMPLETE;
  }

  void show(Console console, String sandboxId, String freshId, boolean kept) {
    if (console.json()) {
      console.json(json(sandboxId, kept ? freshId : ""));
      return;
    }
    console.table(Replayed.HEADER, commands.stream().map(Replayed::cells).toList());
    differences.forEach(
        of ->
            console.line(
                "%s: recorded %s; replayed %s"
                    .formatted(
                        Printable.of(of.path()),
                        Printable.of(of.recorded()),
                        Printable.of(of.replayed()))));
    if (!changesCompared) {
      console.note("sandgate: what the sandboxes changed was not compared: " + why());
    }
    if (kept) {
      console.note("sandgate: replayed in " + freshId);
    }
    console.line(word().name());
  }

  private static String why() {
    return "the recorded one does not run any more, or one of them changed over %,d entries"
        .formatted(Remains.MOST);
  }

  private Map<String, Object> json(String sandboxId, String freshId) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("sandbox_id", sandboxId);
    all.put("kept", freshId);
    all.put("commands", commands.stream().map(Replayed::json).toList());
    all.put("changes_compared", changesCompared);
    all.put("differences", differences.stream().map(Difference::json).toList());
    all.put("verdict", word().name());
    return all;
  }
}
