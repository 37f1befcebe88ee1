// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The node's disk space as a whole; knows nothing of who writes. */
@NullMarked
package dev.sandgate.node.disk;

import org.jspecify.annotations.NullMarked;
