// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of what is kept of shared layers. */
@NullMarked
package dev.sandgate.node.shared;

import org.jspecify.annotations.NullMarked;
