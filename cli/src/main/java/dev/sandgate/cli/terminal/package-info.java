// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The caller's terminal: raw mode, size, signals. */
@NullMarked
package dev.sandgate.cli.terminal;

import org.jspecify.annotations.NullMarked;
