// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.time.Duration;

/**
 * What a sandbox used so far.
 *
 * @param cpu user and system time
 * @param memoryBytes charged to it now
 * @param peakMemoryBytes the most ever charged, or 0 when the host does not keep it
 * @param processes alive now
 * @param outOfMemoryKills processes the kernel killed for memory
 */
public record Usage(
    Duration cpu, long memoryBytes, long peakMemoryBytes, int processes, long outOfMemoryKills) {}
