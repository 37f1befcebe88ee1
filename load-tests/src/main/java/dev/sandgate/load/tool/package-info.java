// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Processes, ports and programs that measurements start; knows nothing of what is measured. */
@NullMarked
package dev.sandgate.load.tool;

import org.jspecify.annotations.NullMarked;
