// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What the node's tests share: a node on a fake host and a gRPC client for it. */
@NullMarked
package dev.sandgate.node.support;

import org.jspecify.annotations.NullMarked;
