// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.cli.load.LoadArguments;
import dev.sandgate.cli.load.LoadReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The run in miniature: a fixed seed, every promise held, nothing left. */
@Tag("root")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ChaosTest {

  private static final long SEED = 177;
  private static final Duration DURATION = Duration.ofSeconds(15);

  @TempDir Path directory;

  private final List<String> progress = Collections.synchronizedList(new ArrayList<>());

  @Test
  void shouldLoseNothingUntoldAndRunNothingTwiceWhateverBreaks() throws Exception {
    LoadReport report =
        new Chaos()
            .run(
                new LoadArguments(
                    directory,
                    Optional.of(DURATION),
                    OptionalInt.empty(),
                    1,
                    OptionalLong.of(SEED),
                    progress::add));
    assertTrue(report.ok(), () -> report + "\n" + String.join("\n", progress));
    assertTrue(report.notes().contains("must no command ran twice: held"), report::toString);
    assertTrue(report.notes().contains("seed " + SEED), report::toString);
    assertTrue(report.figures().getOrDefault("faults", 0.0) >= 2, report::toString);
    assertTrue(report.figures().getOrDefault("commands", 0.0) >= 12, report::toString);
  }
}
