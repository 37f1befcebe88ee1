// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Micro-benchmarks; nothing depends on them. */
@NullMarked
package dev.sandgate.jmh;

import org.jspecify.annotations.NullMarked;
