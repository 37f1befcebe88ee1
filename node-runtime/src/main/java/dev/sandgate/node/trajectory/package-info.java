// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What was done in sandboxes, in the database: written by {@code execs}, read by callers. It knows no live sandbox. */
@NullMarked
package dev.sandgate.node.trajectory;

import org.jspecify.annotations.NullMarked;
