// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of the database. */
@NullMarked
package dev.sandgate.node.store;

import org.jspecify.annotations.NullMarked;
