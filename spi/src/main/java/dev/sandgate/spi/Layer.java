// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.spi;

import java.nio.file.Path;
import java.util.Optional;

/**
 * An immutable, content-addressed, read-only tree.
 *
 * @param digest {@code sha256:} and 64 hex digits of the image
 * @param image the EROFS image on this host
 * @param map for an image that is here in part: the file that says what is here and where the rest comes from, in the form
 *     of {@code native/PARTS.md}; only given to a backend that declares {@link Capability#PARTIAL_LAYERS}
 */
public record Layer(String digest, Path image, Optional<Path> map) {

  /**
   * A layer whose image is here as a whole.
   *
   * @param digest of the image
   * @param image on this host
   */
  public Layer(String digest, Path image) {
    this(digest, image, Optional.empty());
  }
}
