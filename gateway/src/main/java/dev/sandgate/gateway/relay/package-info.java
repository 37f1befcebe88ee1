// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The HTTP/2 relay between clients and nodes. It knows frames, windows and where a stream goes, and of the payload
 * one thing only: field 1 of the first message.
 */
@NullMarked
package dev.sandgate.gateway.relay;

import org.jspecify.annotations.NullMarked;
