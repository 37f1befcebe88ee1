// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tables, JSON, colours and progress; it knows nothing of commands. */
@NullMarked
package dev.sandgate.cli.output;

import org.jspecify.annotations.NullMarked;
