// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

/**
 * A sandbox without a root.
 *
 * @param id of the sandbox
 * @param bestEffort whether it runs on what others leave
 * @param cpuMillis thousandths of a core, 0 for no limit
 * @param memoryBytes 0 for no limit
 * @param pids processes and threads, 0 for no limit
 */
public record Blank(String id, boolean bestEffort, int cpuMillis, long memoryBytes, int pids) {}
