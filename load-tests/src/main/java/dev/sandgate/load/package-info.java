// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Load, density and chaos tests; they use the public API only. */
@NullMarked
package dev.sandgate.load;

import org.jspecify.annotations.NullMarked;
