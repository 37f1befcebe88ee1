// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** How much a node bears: sessions are added until something gives, and what a formula of measured inputs says. */
@NullMarked
package dev.sandgate.load.ramp;

import org.jspecify.annotations.NullMarked;
