// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests. */
@NullMarked
package dev.sandgate.load.ramp;

import org.jspecify.annotations.NullMarked;
