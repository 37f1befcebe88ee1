// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What sandboxes used in all their lives: sampled, kept over restarts, added up. It knows no backend. */
@NullMarked
package dev.sandgate.node.metering;

import org.jspecify.annotations.NullMarked;
