// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The public API: messages and gRPC services generated from {@code sandgate/v1}. */
@NullMarked
package dev.sandgate.proto.v1;

import org.jspecify.annotations.NullMarked;
