// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Sandboxes from create to their end, and their return after a restart; it knows no exec. */
@NullMarked
package dev.sandgate.node.sandboxes;

import org.jspecify.annotations.NullMarked;
