// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.load;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * How to measure.
 *
 * @param directory for what the measurement needs: compiled peers, configurations, logs
 * @param duration of one round, where the scenario measures for a time
 * @param count of sandboxes or calls, where the scenario counts
 * @param rounds alternations after the warm-up; fewer than five prove nothing
 * @param seed of what happens by chance, where something does
 * @param progress is told what goes on, a line each
 */
public record LoadArguments(
    Path directory,
    Optional<Duration> duration,
    OptionalInt count,
    int rounds,
    OptionalLong seed,
    Consumer<String> progress) {}
