// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** A TCP proxy that does to connections what networks do; knows nothing of what passes. */
@NullMarked
package dev.sandgate.load.chaos.proxy;

import org.jspecify.annotations.NullMarked;
