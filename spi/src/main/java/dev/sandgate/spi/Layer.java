// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.nio.file.Path;

/**
 * An immutable, content-addressed, read-only tree.
 *
 * @param digest {@code sha256:} and 64 hex digits of the image
 * @param image the EROFS image on this host
 */
public record Layer(String digest, Path image) {}
