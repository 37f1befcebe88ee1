// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What every command has in common: global options, the client, how failures are told. */
@NullMarked
package dev.sandgate.cli.connection;

import org.jspecify.annotations.NullMarked;
