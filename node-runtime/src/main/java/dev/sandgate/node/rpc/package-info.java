// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** gRPC calls on Vert.x: routing, credentials, deadlines, demand, errors; it knows no feature. */
@NullMarked
package dev.sandgate.node.rpc;

import org.jspecify.annotations.NullMarked;
