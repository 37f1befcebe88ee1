// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Tests. */
@NullUnmarked
package dev.sandgate.support.host;

import org.jspecify.annotations.NullUnmarked;
