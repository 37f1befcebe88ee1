// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
/** Sandboxes that wake up when something is asked of them. */
@NullMarked
package dev.sandgate.node.waking;

import org.jspecify.annotations.NullMarked;
