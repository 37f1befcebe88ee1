// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
/** Whether the node takes another sandbox: what the living asked for, and what the machine has left. */
@NullMarked
package dev.sandgate.node.admission;

import org.jspecify.annotations.NullMarked;
