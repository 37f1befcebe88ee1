// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Shows and exports what was done in sandboxes. */
@NullMarked
package dev.sandgate.cli.trajectory;

import org.jspecify.annotations.NullMarked;
