// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Environments and snapshots as images in local files; knows nothing of how layers are kept. */
@NullMarked
package dev.sandgate.cli.image;

import org.jspecify.annotations.NullMarked;
