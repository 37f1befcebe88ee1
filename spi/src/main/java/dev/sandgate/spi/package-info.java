// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
/** The contract between a node and the backends that run sandboxes; it knows the JDK, Mutiny and JSpecify only. */
@NullMarked
package dev.sandgate.spi;

import org.jspecify.annotations.NullMarked;
