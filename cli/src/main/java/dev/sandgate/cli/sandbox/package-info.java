// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Commands about sandboxes: create, ls, get, rm, exec, sh. */
@NullMarked
package dev.sandgate.cli.sandbox;

import org.jspecify.annotations.NullMarked;
