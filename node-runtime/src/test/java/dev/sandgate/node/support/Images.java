// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.support;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Images of the OCI in local directories. */
public final class Images {

  private Images() {}

  /**
   * One whose layer is a blob as it is.
   *
   * @param layout a directory that is not there yet
   * @param blob the layer
   * @param kind the end of its media type, as {@code layer.v1.tar+gzip}
   * @param tar what is in it
   * @param config the image's configuration, JSON
   * @return as an import takes it
   */
  public static String ofLayer(Path layout, Path blob, String kind, Path tar, String config) {
    Programs.run(
        "python3",
        script("layer_image.py").toString(),
        layout.toString(),
        blob.toString(),
        kind,
        tar.toString(),
        config);
    return "oci:" + layout + ":image";
  }

  private static Path script(String name) {
    try {
      return Path.of(Images.class.getResource("/images/" + name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
