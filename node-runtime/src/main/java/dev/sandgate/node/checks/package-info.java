// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Rules that request fields must keep; each failure names the field and the fix. */
@NullMarked
package dev.sandgate.node.checks;

import org.jspecify.annotations.NullMarked;
