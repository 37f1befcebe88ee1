// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The demo. */
@NullMarked
package dev.sandgate.cli.demo;

import org.jspecify.annotations.NullMarked;
