// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** A backend in memory, with named fault points, for the tests of a node; it runs no process. */
@NullMarked
package dev.sandgate.tck.fake;

import org.jspecify.annotations.NullMarked;
