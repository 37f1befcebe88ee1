// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of the measurements of snapshots. */
@NullMarked
package dev.sandgate.load.snapshots;

import org.jspecify.annotations.NullMarked;
