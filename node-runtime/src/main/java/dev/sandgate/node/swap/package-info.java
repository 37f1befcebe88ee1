// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The host's swap as far as the node sets it up: where the memory of paused sandboxes goes. */
@NullMarked
package dev.sandgate.node.swap;

import org.jspecify.annotations.NullMarked;
