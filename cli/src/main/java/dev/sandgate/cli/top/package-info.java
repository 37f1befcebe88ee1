// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Nodes and their busiest sandboxes, as they are now. */
@NullMarked
package dev.sandgate.cli.top;

import org.jspecify.annotations.NullMarked;
