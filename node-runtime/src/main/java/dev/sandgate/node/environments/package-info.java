// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Layers, environments and their import; it knows no sandbox. */
@NullMarked
package dev.sandgate.node.environments;

import org.jspecify.annotations.NullMarked;
