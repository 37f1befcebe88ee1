// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Fields of the native protocols and the kernel's error names; it knows no message and no transport. */
@NullMarked
package dev.sandgate.support.wire;

import org.jspecify.annotations.NullMarked;
