// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Finding backends. */
@NullMarked
package dev.sandgate.node.backends;

import org.jspecify.annotations.NullMarked;
