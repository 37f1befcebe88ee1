// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Snapshots and resets beside what others do instead. */
@NullMarked
package dev.sandgate.load.snapshots;

import org.jspecify.annotations.NullMarked;
