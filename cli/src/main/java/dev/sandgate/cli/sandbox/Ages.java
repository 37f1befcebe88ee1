// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.sandbox;

import com.google.protobuf.Timestamp;
import dev.sandgate.cli.output.Sizes;
import java.time.Duration;
import java.time.Instant;

/** How long ago something was. */
final class Ages {

  private Ages() {}

  static String of(Timestamp time) {
    if (time.getSeconds() == 0) {
      return "-";
    }
    Instant then = Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    Duration age = Duration.between(then, Instant.now());
    return Sizes.show(age.isNegative() ? Duration.ZERO : age);
  }
}
