// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Commands: their records, readers and calls. */
@NullMarked
package dev.sandgate.node.execs;

import org.jspecify.annotations.NullMarked;
