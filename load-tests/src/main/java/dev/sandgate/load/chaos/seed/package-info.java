// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What a seed decides: which faults come when, and which commands are run by whom. */
@NullMarked
package dev.sandgate.load.chaos.seed;

import org.jspecify.annotations.NullMarked;
