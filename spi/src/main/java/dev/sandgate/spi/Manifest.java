// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * What a layer holds, in short.
 *
 * @param digest {@code sha256:} and 64 hex digits, of the canonical list of its entries
 * @param entries how many, the root included
 * @param bytes of its files, holes included
 */
public record Manifest(String digest, long entries, long bytes) {}
