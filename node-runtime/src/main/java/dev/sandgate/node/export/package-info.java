// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Layers as an image of the OCI; knows nothing of names, catalogues or calls. */
@NullMarked
package dev.sandgate.node.export;

import org.jspecify.annotations.NullMarked;
