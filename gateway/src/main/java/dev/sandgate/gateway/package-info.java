// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The stateless gateway; it keeps no per-sandbox state and knows no node internals. */
@NullMarked
package dev.sandgate.gateway;

import org.jspecify.annotations.NullMarked;
