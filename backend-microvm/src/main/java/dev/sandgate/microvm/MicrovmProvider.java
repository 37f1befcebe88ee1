// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.microvm;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;

/** The door of the {@code microvm} backend. */
public final class MicrovmProvider implements BackendProvider {

  /** Does no work. */
  public MicrovmProvider() {}

  @Override
  public String name() {
    return "microvm";
  }

  @Override
  public Backend open(BackendContext context) {
    return new MicrovmBackend();
  }
}
