// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The command and the client against a whole platform in one process. */
@NullMarked
package dev.sandgate.cli.platform;

import org.jspecify.annotations.NullMarked;
