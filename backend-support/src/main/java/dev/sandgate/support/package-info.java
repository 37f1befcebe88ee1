// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** What two backends share; it knows no single backend and nothing of the node runtime. */
@NullMarked
package dev.sandgate.support;

import org.jspecify.annotations.NullMarked;
