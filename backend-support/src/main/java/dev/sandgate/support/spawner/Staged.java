// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.spawner;

import java.time.Duration;

/**
 * A copy of what a sandbox wrote.
 *
 * @param entries copied
 * @param bytes of files, holes included
 * @param skipped sockets and devices, which are not copied
 * @param frozen how long the sandbox stood still
 */
public record Staged(long entries, long bytes, long skipped, Duration frozen) {}
