// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** The images that a spawner mounts for a backend: where it finds them and how long it keeps them. */
@NullMarked
package dev.sandgate.support.layers;

import org.jspecify.annotations.NullMarked;
