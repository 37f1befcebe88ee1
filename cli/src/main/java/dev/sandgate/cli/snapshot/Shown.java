// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.snapshot;

import com.google.protobuf.Timestamp;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.Snapshot;
import java.time.Instant;
import java.util.List;

/** Snapshots as people read them. */
final class Shown {

  private static final int DIGEST = 19;

  private Shown() {}

  static String name(Snapshot snapshot) {
    Environment environment = snapshot.getEnvironment();
    return environment.getName() + ":" + environment.getTag();
  }

  static String digest(String digest) {
    return digest.substring(0, Math.min(DIGEST, digest.length()));
  }

  static String time(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds()).toString();
  }

  static String line(Snapshot snapshot) {
    return "%s  %d entries, %s  %d ms, stood still %d ms  %s"
        .formatted(
            name(snapshot),
            snapshot.getEntries(),
            Sizes.show(snapshot.getContentBytes()),
            snapshot.getSealMillis(),
            snapshot.getFrozenMillis(),
            snapshot.getEnvironment().getDigest());
  }

  static final List<String> COLUMNS =
      List.of("NAME", "PARENT", "ENTRIES", "SIZE", "SANDBOX", "CREATED", "DIGEST");

  static List<String> row(Snapshot snapshot) {
    return List.of(
        name(snapshot),
        snapshot.getParentName(),
        String.valueOf(snapshot.getEntries()),
        Sizes.show(snapshot.getContentBytes()),
        snapshot.getSandboxId(),
        time(snapshot.getCreatedAt()),
        digest(snapshot.getEnvironment().getDigest()));
  }
}
