// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Commands about persistent shells. */
@NullMarked
package dev.sandgate.cli.session;

import org.jspecify.annotations.NullMarked;
