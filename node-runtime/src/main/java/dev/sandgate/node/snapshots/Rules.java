// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import static dev.sandgate.node.checks.Fields.rangeOr;
import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.config.SnapshotCapacity;
import dev.sandgate.proto.v1.SnapshotRules;
import dev.sandgate.spi.SnapshotLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * What may be in a snapshot and what is taken out of it.
 *
 * @param limits how much
 * @param forbidden what refuses it
 * @param scrubbed what is taken out besides residue
 * @param keepResidue whether residue stays
 */
record Rules(
    SnapshotLimits limits,
    List<PathPattern> forbidden,
    List<PathPattern> scrubbed,
    boolean keepResidue) {

  private static final int MOST_PATTERNS = 256;

  static Rules of(SnapshotRules asked, SnapshotCapacity most) {
    long bytes = rangeOr("rules.max_bytes", asked.getMaxBytes(), 1, most.bytes(), most.bytes());
    long entries =
        rangeOr("rules.max_entries", asked.getMaxEntries(), 1, most.entries(), most.entries());
    return new Rules(
        new SnapshotLimits(bytes, entries),
        patterns("rules.forbidden_paths", asked.getForbiddenPathsList()),
        patterns("rules.scrub_paths", asked.getScrubPathsList()),
        asked.getKeepResidue());
  }

  private static List<PathPattern> patterns(String field, List<String> texts) {
    if (texts.size() > MOST_PATTERNS) {
      throw invalid(field, "give at most " + MOST_PATTERNS);
    }
    List<PathPattern> patterns = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      patterns.add(PathPattern.of(field + "[" + i + "]", texts.get(i)));
    }
    return List.copyOf(patterns);
  }
}
