// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The node, tested through its gRPC API. */
@NullMarked
package dev.sandgate.node;

import org.jspecify.annotations.NullMarked;
