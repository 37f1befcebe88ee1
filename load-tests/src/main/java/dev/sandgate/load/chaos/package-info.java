// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Commands in sandboxes of a gateway and a node whose connections and processes are broken by a seeded schedule. */
@NullMarked
package dev.sandgate.load.chaos;

import org.jspecify.annotations.NullMarked;
