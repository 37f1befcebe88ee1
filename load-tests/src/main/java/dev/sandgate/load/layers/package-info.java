// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What composing environments of layers costs, and reading through them, beside trees that are unpacked. */
@NullMarked
package dev.sandgate.load.layers;

import org.jspecify.annotations.NullMarked;
