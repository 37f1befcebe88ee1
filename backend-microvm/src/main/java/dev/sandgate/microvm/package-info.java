// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The microVM backend; it knows nothing of the node runtime. */
@NullMarked
package dev.sandgate.microvm;

import org.jspecify.annotations.NullMarked;
