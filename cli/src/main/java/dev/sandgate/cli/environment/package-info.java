// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The env commands. */
@NullMarked
package dev.sandgate.cli.environment;

import org.jspecify.annotations.NullMarked;
