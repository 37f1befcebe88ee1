// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The load command and the door through which scenarios come. */
@NullMarked
package dev.sandgate.cli.load;

import org.jspecify.annotations.NullMarked;
