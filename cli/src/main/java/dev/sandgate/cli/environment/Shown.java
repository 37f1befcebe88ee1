// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.environment;

import com.google.protobuf.Timestamp;
import dev.sandgate.cli.output.Console;
import dev.sandgate.cli.output.Sizes;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.proto.v1.LayerInfo;
import java.time.Instant;
import java.util.Locale;

/** Environments as people read them. */
final class Shown {

  private static final int DIGEST = 19;

  private Shown() {}

  static String name(Environment environment) {
    return environment.getName() + ":" + environment.getTag();
  }

  /** One environment on one line. */
  static void print(Console console, Environment environment) {
    if (console.json()) {
      console.json(environment);
    } else {
      console.line(
          "%s  %d layers, %s  %s"
              .formatted(
                  name(environment),
                  environment.getLayersCount(),
                  size(environment),
                  environment.getDigest()));
    }
  }

  /** Of all its images. */
  static String size(Environment environment) {
    return Sizes.show(
        environment.getLayersList().stream().mapToLong(LayerInfo::getSizeBytes).sum());
  }

  /** How much of them is on the node. */
  static String local(Environment environment) {
    return Sizes.show(
        environment.getLayersList().stream().mapToLong(LayerInfo::getLocalBytes).sum());
  }

  static String owner(Environment environment) {
    return environment.getOwner().isEmpty() ? "-" : environment.getOwner();
  }

  /** How much of a layer sandboxes needed, and how sure that is. */
  static String accessed(LayerInfo layer) {
    if (!layer.hasAccessedFraction()) {
      return "accessed: not measured";
    }
    String least = layer.getBulkBytes() > 0 ? "at least " : "";
    return "accessed: %s%.1f %%".formatted(least, 100 * layer.getAccessedFraction());
  }

  static String digest(String digest) {
    return digest.substring(0, Math.min(DIGEST, digest.length()));
  }

  static String time(Timestamp time) {
    return time.getSeconds() == 0 ? "-" : Instant.ofEpochSecond(time.getSeconds()).toString();
  }

  static String kind(LayerInfo layer) {
    return layer.getKind().name().replace("LAYER_KIND_", "").toLowerCase(Locale.ROOT);
  }
}
