// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import java.util.Map;

/** The contract on blanks that the spawner makes, and makes ahead. */
final class NativeContractTest extends ContainerContract {

  @Override
  protected Map<String, String> settings() {
    return Map.of("pool.max", "8");
  }
}
