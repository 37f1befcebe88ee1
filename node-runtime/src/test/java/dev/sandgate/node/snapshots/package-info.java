// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of what is taken out of snapshots. */
@NullMarked
package dev.sandgate.node.snapshots;

import org.jspecify.annotations.NullMarked;
