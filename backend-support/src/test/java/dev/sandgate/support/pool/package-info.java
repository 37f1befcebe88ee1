// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Proofs for the pool, on spares that are only counted. */
@NullUnmarked
package dev.sandgate.support.pool;

import org.jspecify.annotations.NullUnmarked;
