// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import dev.sandgate.load.tool.Child;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.LayerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** This host's Python as an environment: its program, its library and what both link to. */
final class PythonLayer {

  private static final String NAME = "python";
  private static final String COPY =
      """
      python=$(readlink -f /usr/bin/python3)
      library=/usr/lib/$(basename "$python")
      mkdir -p "$1/usr/bin" "$1$library"
      cp "$python" "$1/usr/bin/python3"
      tar -C "$library" -cf - --exclude=test --exclude='config-*' . | tar -C "$1$library" -xf -
      ldd "$python" "$library"/lib-dynload/*.so | grep -o '/[^ ]*[.]so[^ :]*' | sort -u |
        while read -r file; do mkdir -p "$1$(dirname "$file")"; cp -L "$file" "$1$file"; done
      """;

  private PythonLayer() {}

  /** Adds it to the platform's stack; the environment's name. */
  static String on(Platform platform) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(platform.scratch().directory().resolve(NAME));
    Path log = platform.scratch().directory().resolve("python.log");
    try (Child copying =
        Child.start(log, List.of("sh", "-ec", COPY, "copy", directory.toString()))) {
      copying.lines();
    }
    platform
        .client()
        .environments()
        .importFrom(
            ImportEnvironmentRequest.newBuilder()
                .setName(NAME)
                .setKind(LayerKind.LAYER_KIND_TOOLKIT)
                .setDirectory(directory.toString())
                .addOn(platform.stack().environment())
                .build())
        .collect()
        .last()
        .await()
        .atMost(Platform.PATIENCE);
    return NAME;
  }
}
