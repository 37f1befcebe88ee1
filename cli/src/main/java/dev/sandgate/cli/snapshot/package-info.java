// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The snapshot commands. */
@NullMarked
package dev.sandgate.cli.snapshot;

import org.jspecify.annotations.NullMarked;
