// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What sandboxes used and use. */
@NullMarked
package dev.sandgate.cli.usage;

import org.jspecify.annotations.NullMarked;
