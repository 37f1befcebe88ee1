// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.QosClass;
import dev.sandgate.spi.ResourceLimits;
import dev.sandgate.spi.SandboxSpec;
import dev.sandgate.tck.BackendContract;
import dev.sandgate.tck.GuestTools;
import java.util.List;
import java.util.Map;

/** The whole contract, on this backend. */
final class ProcessBackendTest extends BackendContract {

  @Override
  protected BackendProvider provider() {
    return new ProcessProvider();
  }

  @Override
  protected SandboxSpec spec(String id) {
    return new SandboxSpec(
        id,
        List.of(),
        ResourceLimits.DEFAULT,
        QosClass.BEST_EFFORT,
        System.getProperty("user.name"),
        Map.of("TCK_SANDBOX", "of " + id),
        "localhost",
        Map.of());
  }

  @Override
  protected GuestTools tools() {
    return new GuestTools("", "", List.of());
  }
}
