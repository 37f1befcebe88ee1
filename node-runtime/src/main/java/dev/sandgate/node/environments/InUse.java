// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.environments.Catalogue.Named;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.util.List;

/** Refuses the removal of what something stands on, by the names of its users. */
final class InUse {

  private static final int NAMED = 8;

  private InUse() {}

  static void requireNone(String why, List<String> users, Named named) {
    if (!users.isEmpty()) {
      throw new SandgateException(
          ErrorCode.FAILED_PRECONDITION,
          "reference",
          "reference: " + why.formatted(users.size(), named.key(), some(users)),
          null);
    }
  }

  private static String some(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(NAMED, names.size())));
    return names.size() > NAMED ? first + ", …" : first;
  }
}
