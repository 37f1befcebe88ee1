// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Whether a node that has worked for long holds no more than one that has worked for a while. */
@NullMarked
package dev.sandgate.load.soak;

import org.jspecify.annotations.NullMarked;
