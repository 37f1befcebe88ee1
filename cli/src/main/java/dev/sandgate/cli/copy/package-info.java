// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The cp command. */
@NullMarked
package dev.sandgate.cli.copy;

import org.jspecify.annotations.NullMarked;
