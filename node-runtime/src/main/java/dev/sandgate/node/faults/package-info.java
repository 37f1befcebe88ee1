// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Places where a test may end the node; it knows no feature. */
@NullMarked
package dev.sandgate.node.faults;

import org.jspecify.annotations.NullMarked;
