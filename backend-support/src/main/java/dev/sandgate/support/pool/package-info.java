// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Things made ahead of their use, as many as lately were wanted; it knows nothing of what they are. */
@NullMarked
package dev.sandgate.support.pool;

import org.jspecify.annotations.NullMarked;
