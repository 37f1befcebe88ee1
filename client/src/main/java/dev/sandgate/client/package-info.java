// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The Java client; it knows the public API only. */
@NullMarked
package dev.sandgate.client;

import org.jspecify.annotations.NullMarked;
