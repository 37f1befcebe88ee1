// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fullvm;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;

/** The door of the {@code fullvm} backend. */
public final class FullvmProvider implements BackendProvider {

  /** Does no work. */
  public FullvmProvider() {}

  @Override
  public String name() {
    return "fullvm";
  }

  @Override
  public Backend open(BackendContext context) {
    return new FullvmBackend();
  }
}
