// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of how archives become trees. */
@NullMarked
package dev.sandgate.node.environments;

import org.jspecify.annotations.NullMarked;
