// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Files and ports of a sandbox, passed through to its backend. */
@NullMarked
package dev.sandgate.node.files;

import org.jspecify.annotations.NullMarked;
