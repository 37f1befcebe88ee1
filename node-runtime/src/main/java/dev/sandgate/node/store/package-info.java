// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The node's one SQLite database; it knows no table. */
@NullMarked
package dev.sandgate.node.store;

import org.jspecify.annotations.NullMarked;
