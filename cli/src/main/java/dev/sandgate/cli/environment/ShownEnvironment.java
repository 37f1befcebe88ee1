// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;

/** One environment on one line. */
final class ShownEnvironment {

  private ShownEnvironment() {}

  static void print(Console console, Environment environment) {
    if (console.json()) {
      console.json(environment);
    } else {
      console.line(
          "%s:%s  %d layers, %s  %s"
              .formatted(
                  environment.getName(),
                  environment.getTag(),
                  environment.getLayersCount(),
                  Sizes.show(size(environment)),
                  environment.getDigest()));
    }
  }

  /** Of all its images. */
  static long size(Environment environment) {
    return environment.getLayersList().stream().mapToLong(LayerInfo::getSizeBytes).sum();
  }

  /** How much of them is on the node. */
  static long local(Environment environment) {
    return environment.getLayersList().stream().mapToLong(LayerInfo::getLocalBytes).sum();
  }
}
