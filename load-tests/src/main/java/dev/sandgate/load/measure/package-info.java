// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/** Statistics of side-by-side measurements, and the verdict; knows nothing of what is measured. */
@NullMarked
package dev.sandgate.load.measure;

import org.jspecify.annotations.NullMarked;
