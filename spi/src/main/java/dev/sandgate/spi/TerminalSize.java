// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

/**
 * The size of a terminal.
 *
 * @param columns 1–65535
 * @param rows 1–65535
 */
public record TerminalSize(int columns, int rows) {}
