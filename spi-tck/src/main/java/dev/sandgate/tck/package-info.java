// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The conformance suite of the backend contract: extend {@link dev.sandgate.tck.BackendContract}; it knows
 * no real backend.
 */
@NullMarked
package dev.sandgate.tck;

import org.jspecify.annotations.NullMarked;
