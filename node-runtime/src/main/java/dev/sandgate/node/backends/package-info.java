// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Finds and opens backends; it knows them through the SPI only. */
@NullMarked
package dev.sandgate.node.backends;

import org.jspecify.annotations.NullMarked;
