// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The node runtime, one process per host; it knows backends through the SPI only. */
@NullMarked
package dev.sandgate.node;

import org.jspecify.annotations.NullMarked;
