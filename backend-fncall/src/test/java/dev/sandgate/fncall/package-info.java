// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of the fncall backend. */
@NullUnmarked
package dev.sandgate.fncall;

import org.jspecify.annotations.NullUnmarked;
