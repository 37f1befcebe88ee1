// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package org.example.process;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;

/** The door of the backend {@code process}; its jar goes into the node's {@code plugins/}. */
public final class ProcessProvider implements BackendProvider {

  /** Called by the node; does no work. */
  public ProcessProvider() {}

  @Override
  public String name() {
    return "process";
  }

  @Override
  public Backend open(BackendContext context) {
    return new ProcessBackend(context.stateDirectory());
  }
}
