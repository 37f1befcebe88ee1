// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What latency-sensitive sandboxes notice of best-effort ones, and what those get. */
@NullMarked
package dev.sandgate.load.qos;

import org.jspecify.annotations.NullMarked;
