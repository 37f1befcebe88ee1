// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of parts of the commands that a whole node would hide. */
@NullMarked
package dev.sandgate.node.execs;

import org.jspecify.annotations.NullMarked;
