// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.Backend;
import dev.sandgate.spi.BackendContext;
import dev.sandgate.spi.BackendProvider;

/** The door of the {@code fncall} backend. */
public final class FncallProvider implements BackendProvider {

  /** Does no work. */
  public FncallProvider() {}

  @Override
  public String name() {
    return "fncall";
  }

  @Override
  public Backend open(BackendContext context) {
    return new FncallBackend(FncallSettings.of(context));
  }
}
