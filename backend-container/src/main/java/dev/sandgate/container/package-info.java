// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The container backend: namespaces, overlay of layers, cgroups; it knows nothing of the node runtime. */
@NullMarked
package dev.sandgate.container;

import org.jspecify.annotations.NullMarked;
