// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The gateway's relay beside HAProxy and nginx. */
@NullMarked
package dev.sandgate.load.relay;

import org.jspecify.annotations.NullMarked;
