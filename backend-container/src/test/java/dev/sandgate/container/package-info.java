// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests of the container backend. */
@NullUnmarked
package dev.sandgate.container;

import org.jspecify.annotations.NullUnmarked;
