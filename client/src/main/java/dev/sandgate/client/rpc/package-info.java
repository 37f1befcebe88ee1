// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** gRPC calls over a few HTTP/2 connections; it knows nothing of sandboxes. */
@NullMarked
package dev.sandgate.client.rpc;

import org.jspecify.annotations.NullMarked;
