// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The function-call backend; it knows nothing of the node runtime. */
@NullMarked
package dev.sandgate.fncall;

import org.jspecify.annotations.NullMarked;
