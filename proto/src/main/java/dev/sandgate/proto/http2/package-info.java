// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What every peer that speaks the API over Vert.x's HTTP/2 must do to a connection, until Vert.x does it. */
@NullMarked
package dev.sandgate.proto.http2;

import org.jspecify.annotations.NullMarked;
