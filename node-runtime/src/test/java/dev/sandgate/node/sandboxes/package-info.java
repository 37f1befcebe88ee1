// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of parts of the sandboxes that a whole node would hide. */
@NullMarked
package dev.sandgate.node.sandboxes;

import org.jspecify.annotations.NullMarked;
