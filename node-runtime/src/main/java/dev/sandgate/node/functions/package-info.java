// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Function calls: checks them, finds their environment, remembers their answers; it knows nothing of workers. */
@NullMarked
package dev.sandgate.node.functions;

import org.jspecify.annotations.NullMarked;
