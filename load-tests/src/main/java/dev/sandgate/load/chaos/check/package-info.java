// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What was seen of commands, and whether it is what was promised; knows nothing of how it came about. */
@NullMarked
package dev.sandgate.load.chaos.check;

import org.jspecify.annotations.NullMarked;
