// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The {@code sandgate} command; it holds no platform logic of its own. */
@NullMarked
package dev.sandgate.cli;

import org.jspecify.annotations.NullMarked;
