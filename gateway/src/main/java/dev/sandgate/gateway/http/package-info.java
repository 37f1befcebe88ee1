// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The HTTP/1.1 side of the port, served by Vert.x on the connections handed to it. */
@NullMarked
package dev.sandgate.gateway.http;

import org.jspecify.annotations.NullMarked;
