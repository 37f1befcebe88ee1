// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Shows how nodes do. */
@NullMarked
package dev.sandgate.cli.node;

import org.jspecify.annotations.NullMarked;
