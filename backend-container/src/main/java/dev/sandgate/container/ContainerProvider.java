// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;

/** The door of the {@code container} backend. */
public final class ContainerProvider implements BackendProvider {

  /** Does no work. */
  public ContainerProvider() {}

  @Override
  public String name() {
    return "container";
  }

  @Override
  public Backend open(BackendContext context) {
    return new ContainerBackend(ContainerSettings.of(context));
  }
}
