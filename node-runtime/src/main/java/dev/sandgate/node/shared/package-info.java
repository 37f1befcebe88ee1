// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The directory of layers that nodes share: what is put there, and what is used before it is here. Knows nothing of sandboxes. */
@NullMarked
package dev.sandgate.node.shared;

import org.jspecify.annotations.NullMarked;
