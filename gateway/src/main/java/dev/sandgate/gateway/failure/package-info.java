// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What the gateway says when a call fails; knows protobuf and gRPC statuses, no transport. */
@NullMarked
package dev.sandgate.gateway.failure;

import org.jspecify.annotations.NullMarked;
