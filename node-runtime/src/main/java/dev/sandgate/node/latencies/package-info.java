// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** How long what the node does takes; knows nothing of what that is. */
@NullMarked
package dev.sandgate.node.latencies;

import org.jspecify.annotations.NullMarked;
