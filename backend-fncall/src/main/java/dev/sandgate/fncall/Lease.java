// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import java.time.Duration;

/**
 * A worker in the hands of a call.
 *
 * @param key it serves
 * @param worker the worker
 * @param warm whether it was there before
 * @param waited for it
 */
record Lease<W extends Pooled>(WorkerKey key, W worker, boolean warm, Duration waited) {}
