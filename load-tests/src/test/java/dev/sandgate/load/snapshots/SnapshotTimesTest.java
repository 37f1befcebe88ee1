// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.snapshots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots beside the real podman, once. */
@Tag("root")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SnapshotTimesTest {

  @TempDir private Path directory;

  @Test
  void shouldMeasureSnapshotsRestoresAndResetsBesidePodman() throws Exception {
    LoadReport report =
        new SnapshotTimes()
            .run(
                new LoadArguments(
                    directory,
                    Optional.empty(),
                    OptionalInt.of(1),
                    1,
                    OptionalLong.empty(),
                    _ -> {}));
    for (String name :
        List.of(
            "snapshot_vs_podman_commit",
            "restore_vs_podman_run",
            "reset_vs_delete_and_create",
            "reset_vs_podman_recreate")) {
      Double ratio = report.ratios().get(name);
      assertTrue(ratio != null && ratio > 0, report::toString);
    }
    assertEquals(1.0, report.figures().get("snapshot_samples"));
    assertEquals(1.0, report.figures().get("podman_commit_samples"));
  }
}
