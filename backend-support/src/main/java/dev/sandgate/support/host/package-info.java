// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What the host's kernel shows of sandboxes; it knows nothing of agents' protocol and of the spawner. */
@NullMarked
package dev.sandgate.support.host;

import org.jspecify.annotations.NullMarked;
