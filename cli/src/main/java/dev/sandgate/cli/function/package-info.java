// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The command that runs programs without a sandbox of their own. */
@NullMarked
package dev.sandgate.cli.function;

import org.jspecify.annotations.NullMarked;
