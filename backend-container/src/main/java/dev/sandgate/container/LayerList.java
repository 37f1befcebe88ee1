// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Layer;
import dev.sandgate.spi.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * What is in a layer, told by the spawner, which has it mounted.
 *
 * @param host whose spawner
 * @param layer which
 */
record LayerList(Host host, Layer layer) {

  /** Writes the list; blocks. */
  Manifest write(Path list) throws IOException {
    String name = UpperCopy.freshName();
    try {
      String image = host.layers().hold(name, List.of(layer)).getFirst();
      Manifest told = host.spawner().listLayer(image, name);
      Files.move(host.staging(name + ".list"), list, StandardCopyOption.REPLACE_EXISTING);
      return told;
    } finally {
      host.layers().release(name, List.of(layer));
      host.spawner().discard(name);
    }
  }
}
