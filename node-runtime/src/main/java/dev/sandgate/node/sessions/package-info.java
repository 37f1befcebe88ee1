// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Persistent shells of sandboxes; it knows sandboxes, no exec. */
@NullMarked
package dev.sandgate.node.sessions;

import org.jspecify.annotations.NullMarked;
