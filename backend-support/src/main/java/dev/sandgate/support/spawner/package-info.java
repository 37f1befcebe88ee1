// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The node's end of the spawner's protocol; it knows no agent and no image. */
@NullMarked
package dev.sandgate.support.spawner;

import org.jspecify.annotations.NullMarked;
