// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Parts of the node's configuration that features need. */
@NullMarked
package dev.sandgate.node.config;

import org.jspecify.annotations.NullMarked;
